/* theatre_seats: two box offices sell seats for the same evening. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 2
#define SEATS_PER_ROW 4
#define NOBODY 0

typedef struct {
    pthread_mutex_t mutex;
    int owner[ROWS][SEATS_PER_ROW];
} hall_t;

typedef struct {
    int row;
    int seat;
} seat_t;

typedef struct {
    hall_t *hall;
    int agent_id;
    int customers;
    int sold;
    seat_t tickets[ROWS * SEATS_PER_ROW];
} box_office_t;

static void hall_init(hall_t *h)
{
    pthread_mutex_init(&h->mutex, NULL);
    for (int r = 0; r < ROWS; r++)
        for (int s = 0; s < SEATS_PER_ROW; s++)
            h->owner[r][s] = NOBODY;
}

static bool hall_find_free(hall_t *h, seat_t *out)
{
    bool found = false;

    pthread_mutex_lock(&h->mutex);
    for (int r = 0; r < ROWS && !found; r++) {
        for (int s = 0; s < SEATS_PER_ROW && !found; s++) {
            if (h->owner[r][s] == NOBODY) {
                out->row = r;
                out->seat = s;
                found = true;
            }
        }
    }
    pthread_mutex_unlock(&h->mutex);
    return found;
}

static bool hall_assign(hall_t *h, seat_t where, int owner)
{
    pthread_mutex_lock(&h->mutex);
    h->owner[where.row][where.seat] = owner;
    pthread_mutex_unlock(&h->mutex);
    return true;
}

static int hall_count_sold(hall_t *h)
{
    int n = 0;

    pthread_mutex_lock(&h->mutex);
    for (int r = 0; r < ROWS; r++)
        for (int s = 0; s < SEATS_PER_ROW; s++)
            n += h->owner[r][s] != NOBODY;
    pthread_mutex_unlock(&h->mutex);
    return n;
}

static void *box_office_run(void *arg)
{
    box_office_t *office = arg;

    while (office->sold < office->customers) {
        seat_t where;

        if (!hall_find_free(office->hall, &where))
            break;
        if (!hall_assign(office->hall, where, office->agent_id))
            continue;
        office->tickets[office->sold++] = where;
    }
    return NULL;
}

int main(void)
{
    hall_t hall;
    box_office_t offices[2];
    pthread_t threads[2];
    int tickets = 0;

    hall_init(&hall);
    for (int i = 0; i < 2; i++) {
        offices[i] = (box_office_t){ .hall = &hall, .agent_id = i + 1, .customers = 3 };
        if (pthread_create(&threads[i], NULL, box_office_run, &offices[i]) != 0)
            abort();
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        tickets += offices[i].sold;
    }

    int seats = hall_count_sold(&hall);
    printf("%d tickets for %d seats\n", tickets, seats);
    pthread_mutex_destroy(&hall.mutex);
    if (tickets != seats) {
        fprintf(stderr, "overbooked by %d\n", tickets - seats);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
