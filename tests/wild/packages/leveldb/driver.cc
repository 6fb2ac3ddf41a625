// A key is put once and is never deleted. One thread reads it all the time, while the main thread has the table in memory
// written to a (simulated) file. Each read has to find the key.
#include <atomic>
#include <cassert>
#include <string>
#include <thread>

#include "helpers/memenv/memenv.h"
#include "leveldb/db.h"
#include "leveldb/env.h"

int main() {
    leveldb::Options options;
    options.env = leveldb::NewMemEnv(leveldb::Env::Default());
    options.create_if_missing = true;
    leveldb::DB* db = nullptr;
    bool opened = leveldb::DB::Open(options, "/db", &db).ok();
    assert(opened);
    db->Put(leveldb::WriteOptions(), "key", "value");

    std::atomic<bool> done{false};
    std::thread reader([&] {
        do {
            std::string value;
            bool key_is_found = db->Get(leveldb::ReadOptions(), "key", &value).ok();
            assert(key_is_found);
        } while (!done);
    });
    db->CompactRange(nullptr, nullptr);
    done = true;
    reader.join();
    delete db;
    delete options.env;
}
