#include "stock.h"

namespace stock {

void Clerk::process(const std::vector<Line>& order) {
    for (const Line& line : order) {
        if (line.quantity <= 0)
            throw std::invalid_argument("quantity of " + line.sku);
        if (pick(line))
            picked_ += line.quantity;
        else
            backorders_.push_back(line);
    }
}

bool Clerk::pick(const Line& line) {
    if (warehouse_.onHand(line.sku) < line.quantity)
        return false;
    warehouse_.take(line.sku, line.quantity);
    return true;
}

}  // namespace stock
