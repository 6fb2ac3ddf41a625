#include <cstdio>
#include <string>

#include "ingest.h"

static Packet makePacket(int i) {
    Packet p;
    p.stream = static_cast<std::uint16_t>(i % 2);
    p.payload.assign(static_cast<std::size_t>(i * 3), 'x');
    return p;
}

int main() {
    PacketIngest ingest(16);

    for (int i = 0; i < 5; ++i)
        ingest.submit(makePacket(i));

    bool alarmed = false;
    for (int i = 5; i < 8; ++i) {
        if (ingest.dropRatio() > 0.9)
            alarmed = true;
        ingest.submit(makePacket(i));
    }
    ingest.close();

    const IngestStats s = ingest.stats();
    std::printf("accepted=%llu dropped=%llu bytes=%llu alarm=%d\n",
                static_cast<unsigned long long>(s.accepted),
                static_cast<unsigned long long>(s.dropped),
                static_cast<unsigned long long>(s.bytes), alarmed ? 1 : 0);
    return s.accepted + s.dropped == 8 ? 0 : 1;
}
