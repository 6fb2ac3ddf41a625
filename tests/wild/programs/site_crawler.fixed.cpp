// site_crawler.cpp - walks a (synthetic) web site with several fetchers.
//
// The site is a generated link graph; robots rules are loaded the first time
// any fetcher asks whether a path may be visited.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

static const char kRobotsTxt[] =
    "User-agent: *\n"
    "Disallow: /private\n"
    "Disallow: /cgi-bin\n"
    "Disallow: /tmp\n"
    "Disallow: /p/13\n"
    "Crawl-delay: 0\n";

class RobotsRules {
public:
    explicit RobotsRules(const std::string& text) {
        size_t pos = 0;
        while (pos < text.size()) {
            size_t end = text.find('\n', pos);
            if (end == std::string::npos)
                end = text.size();
            std::string line = text.substr(pos, end - pos);
            if (line.rfind("Disallow: ", 0) == 0)
                disallowed_.push_back(line.substr(10));
            pos = end + 1;
        }
    }

    bool allowed(const std::string& path) const {
        for (const auto& d : disallowed_)
            if (path.compare(0, d.size(), d) == 0)
                return false;
        return true;
    }

private:
    std::vector<std::string> disallowed_;
};

// Robots rules of one host, loaded on first use.
class HostPolicy {
public:
    const RobotsRules& rules() {
        std::lock_guard<std::mutex> lock(load_mutex_);
        if (!loaded_) {
            loaded_ = true;
            rules_ = std::make_unique<RobotsRules>(kRobotsTxt);
        }
        return *rules_;
    }

private:
    bool loaded_ = false;
    std::mutex load_mutex_;
    std::unique_ptr<RobotsRules> rules_;
};

// URLs to be visited. Also knows how many fetchers are busy, so that the crawl
// ends when nothing is queued and nobody can add more.
class Frontier {
public:
    void add(const std::string& url) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (seen_.insert(url).second)
            todo_.push_back(url);
    }

    // 1: got one; 0: nothing now, try again; -1: crawl finished
    int take(std::string& url) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (todo_.empty())
            return busy_ ? 0 : -1;
        url = std::move(todo_.front());
        todo_.pop_front();
        ++busy_;
        return 1;
    }

    void finished() {
        std::lock_guard<std::mutex> lock(mutex_);
        --busy_;
    }

    size_t seen() {
        std::lock_guard<std::mutex> lock(mutex_);
        return seen_.size();
    }

private:
    std::mutex mutex_;
    std::deque<std::string> todo_;
    std::set<std::string> seen_;
    int busy_ = 0;
};

// "Downloads" a page: body text and the links in it.
static std::string fetch(const std::string& url, std::vector<std::string>& links) {
    uint32_t h = 2166136261u;
    for (unsigned char c : url)
        h = (h ^ c) * 16777619u;
    std::string body;
    for (int i = 0; i < 120; ++i) {
        h = h * 1664525u + 1013904223u;
        body += static_cast<char>('a' + (h >> 24) % 26);
    }
    for (int i = 0; i < 3; ++i) {
        h = h * 1664525u + 1013904223u;
        links.push_back("/p/" + std::to_string((h >> 16) % 60));
    }
    if (h & 1)
        links.push_back("/private/" + std::to_string(h % 9));
    return body;
}

struct FetcherStats {
    int pages = 0;
    int skipped = 0;
    size_t bytes = 0;
};

static void crawl(Frontier& frontier, HostPolicy& policy, FetcherStats& stats) {
    std::string url;
    for (;;) {
        int r = frontier.take(url);
        if (r < 0)
            break;
        if (r == 0) {
            std::this_thread::yield();
            continue;
        }
        std::vector<std::string> links;
        std::string body = fetch(url, links);
        stats.bytes += body.size();
        ++stats.pages;
        for (const auto& l : links) {
            if (policy.rules().allowed(l))
                frontier.add(l);
            else
                ++stats.skipped;
        }
        frontier.finished();
    }
}

int main() {
    const int kFetchers = 3;
    Frontier frontier;
    HostPolicy policy;
    frontier.add("/");
    frontier.add("/index.html");
    frontier.add("/sitemap");

    std::vector<FetcherStats> stats(kFetchers);
    std::vector<std::thread> fetchers;
    for (int i = 0; i < kFetchers; ++i)
        fetchers.emplace_back(crawl, std::ref(frontier), std::ref(policy), std::ref(stats[i]));
    for (auto& t : fetchers)
        t.join();

    size_t pages = 0, skipped = 0;
    for (const auto& s : stats) {
        pages += s.pages;
        skipped += s.skipped;
    }
    std::printf("crawled %zu pages, skipped %zu links\n", pages, skipped);
    if (pages != frontier.seen())
        std::abort();
    return 0;
}
