// Requests live on the requester's stack, a single worker executes them.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>

struct Job {
    enum State { Queued, Accepted, Done };
    int argument = 0;
    int result = 0;
    State state = Queued;
};

class JobQueue {
public:
    void submit(Job* j)
    {
        std::lock_guard<std::mutex> lk(m_);
        jobs_.push_back(j);
        cv_.notify_all();
    }

    // Blocks until the worker has reached the given state for this job.
    void wait_for_state(Job* j, Job::State s)
    {
        std::unique_lock<std::mutex> lk(m_);
        cv_.wait(lk, [&] { return j->state >= s; });
    }

    Job* accept()
    {
        std::unique_lock<std::mutex> lk(m_);
        cv_.wait(lk, [&] { return !jobs_.empty(); });
        Job* j = jobs_.front();
        jobs_.pop_front();
        j->state = Job::Accepted;
        cv_.notify_all();
        return j;
    }

    void complete(Job* j, int result)
    {
        std::lock_guard<std::mutex> lk(m_);
        j->result = result;
        j->state = Job::Done;
        ++completed_;
        cv_.notify_all();
    }

    int completed()
    {
        std::lock_guard<std::mutex> lk(m_);
        return completed_;
    }

private:
    std::mutex m_;
    std::condition_variable cv_;
    std::deque<Job*> jobs_;
    int completed_ = 0;
};

static JobQueue queue;

static void worker()
{
    Job* j = queue.accept();
    int r = 0;
    for (int i = 1; i <= 5; ++i)
        r += i;
    queue.complete(j, r);
}

// Fire and forget: we only care that somebody took the job over.
static void requester()
{
    Job job;
    job.argument = 5;
    queue.submit(&job);
    queue.wait_for_state(&job, Job::Accepted);
}

int main()
{
    std::thread w(worker);
    std::thread r(requester);
    r.join();
    w.join();
    std::printf("completed %d\n", queue.completed());
    return 0;
}
