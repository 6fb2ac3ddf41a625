#include <cstdio>
#include <memory>
#include <thread>

#include "purchasing.h"

int main() {
    Supplier supplier("Acme Fasteners", 100000);
    auto order1 = std::make_shared<PurchaseOrder>(4711, supplier);
    auto order2 = std::make_shared<PurchaseOrder>(4712, supplier);
    supplier.attach(order1);
    supplier.attach(order2);
    order2->addItem("washer M4", 450);

    std::thread buyer([&] {
        order1->addItem("screw M4x20", 1999);
        order1->addItem("hex nut M4", 899);
    });
    std::thread accounting([&] { supplier.suspend(); });
    buyer.join();
    accounting.join();

    const long booked = order1->total() + order2->total();
    std::printf("%s: order %d has %zu items, exposure %ld\n", supplier.name().c_str(),
                order1->number(), order1->items(), supplier.exposure());
    const bool held = order1->state() == PurchaseOrder::State::OnHold &&
                      order2->state() == PurchaseOrder::State::OnHold;
    return supplier.suspended() && held && booked == supplier.exposure() ? 0 : 1;
}
