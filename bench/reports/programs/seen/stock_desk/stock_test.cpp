#include <gtest/gtest.h>

#include <thread>

#include "stock.h"

using stock::Clerk;
using stock::Warehouse;

TEST(WarehouseTest, ReceiveAddsUp) {
    Warehouse w;
    w.receive("bolt", 3);
    w.receive("bolt", 4);
    EXPECT_EQ(w.onHand("bolt"), 7);
    EXPECT_EQ(w.onHand("nut"), 0);
}

TEST(WarehouseTest, TakeIfAvailableRefusesTooMuch) {
    Warehouse w;
    w.receive("bolt", 3);
    EXPECT_FALSE(w.takeIfAvailable("bolt", 4));
    EXPECT_TRUE(w.takeIfAvailable("bolt", 3));
    EXPECT_EQ(w.onHand("bolt"), 0);
}

TEST(ClerkTest, BackordersWhatIsMissing) {
    Warehouse w;
    w.receive("bolt", 5);
    Clerk clerk(w);
    clerk.process({{"bolt", 4}, {"bolt", 2}, {"nut", 1}});
    EXPECT_EQ(clerk.picked(), 4);
    EXPECT_EQ(clerk.backorders().size(), 2u);
}

TEST(ClerkTest, RejectsBadQuantity) {
    Warehouse w;
    Clerk clerk(w);
    EXPECT_THROW(clerk.process({{"bolt", 0}}), std::invalid_argument);
}

TEST(ClerkTest, TwoClerksShareTheShelf) {
    Warehouse w;
    w.receive("bolt", 5);
    Clerk north(w);
    Clerk south(w);

    std::thread a([&] { north.process({{"bolt", 2}, {"bolt", 2}}); });
    std::thread b([&] { south.process({{"bolt", 2}, {"bolt", 2}}); });
    a.join();
    b.join();

    EXPECT_GE(w.onHand("bolt"), 0) << "more bolts were handed out than received";
    EXPECT_EQ(north.picked() + south.picked() + w.onHand("bolt"), 5);
}
