// Packs a set of files in the background and tells the caller when done.
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct SourceFile {
    std::string name;
    std::string content;
};

struct Journal {
    void add(std::string line) {
        std::lock_guard<std::mutex> lock(mutex);
        lines.push_back(std::move(line));
    }

    std::size_t size() {
        std::lock_guard<std::mutex> lock(mutex);
        return lines.size();
    }

    std::mutex mutex;
    std::vector<std::string> lines;
};

class ArchiveTask {
public:
    ArchiveTask(std::string name, std::vector<SourceFile> files, std::shared_ptr<Journal> journal)
        : name_(std::move(name)), files_(std::move(files)), journal_(std::move(journal)) {}

    void start() {
        std::thread([this] { run(); }).detach();
    }

    void wait() {
        std::unique_lock<std::mutex> lock(mutex_);
        finishedCv_.wait(lock, [this] { return finished_; });
    }

    std::uint32_t checksum() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return checksum_;
    }

private:
    void run() {
        std::uint32_t sum = 1;
        for (const SourceFile& f : files_)
            sum = pack(f, sum);
        {
            std::lock_guard<std::mutex> lock(mutex_);
            checksum_ = sum;
            finished_ = true;
            finishedCv_.notify_all();
        }
        journal_->add("archive " + name_ + ": " + std::to_string(files_.size()) + " files");
    }

    static std::uint32_t pack(const SourceFile& f, std::uint32_t sum) {
        for (char c : f.name)
            sum = sum * 31 + static_cast<unsigned char>(c);
        for (char c : f.content)
            sum = sum * 31 + static_cast<unsigned char>(c);
        return sum;
    }

    std::string name_;
    std::vector<SourceFile> files_;
    std::shared_ptr<Journal> journal_;

    mutable std::mutex mutex_;
    std::condition_variable finishedCv_;
    bool finished_ = false;
    std::uint32_t checksum_ = 0;
};

static std::uint32_t archiveFolder(const std::string& folder, std::shared_ptr<Journal> journal) {
    std::vector<SourceFile> files;
    for (int i = 0; i < 3; ++i)
        files.push_back({folder + "/part" + std::to_string(i), std::string(64, 'a')});

    auto task = std::make_unique<ArchiveTask>(folder, std::move(files), std::move(journal));
    task->start();
    task->wait();
    return task->checksum();
}

int main() {
    auto journal = std::make_shared<Journal>();
    const std::uint32_t photos = archiveFolder("photos", journal);
    const std::uint32_t mail = archiveFolder("mail", journal);
    std::printf("photos %08x mail %08x\n", photos, mail);
    return photos != 0 && mail != 0 ? 0 : 1;
}
