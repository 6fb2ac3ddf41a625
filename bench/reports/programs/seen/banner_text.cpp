#include <gtest/gtest.h>

#include <cctype>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// Text shown at the top of every page.  The editor replaces it while the
// request threads render pages with it.
class BannerText {
public:
    explicit BannerText(std::string initial) : text_(std::move(initial)) {}

    const std::string& current() const {
        std::lock_guard<std::mutex> guard(mutex_);
        return text_;
    }

    int revision() const {
        std::lock_guard<std::mutex> guard(mutex_);
        return revision_;
    }

    void replace(std::string next) {
        std::lock_guard<std::mutex> guard(mutex_);
        text_.swap(next);
        ++revision_;
    }

private:
    mutable std::mutex mutex_;
    std::string text_;
    int revision_ = 0;
};

class PageRenderer {
public:
    explicit PageRenderer(const BannerText& banner) : banner_(banner) {}

    std::string render(const std::string& body) const {
        std::string page;
        page += "<h1>" + escape(banner_.current()) + "</h1>";
        page += "<p>" + escape(body) + "</p>";
        return page;
    }

private:
    static std::string escape(const std::string& in) {
        std::string out;
        out.reserve(in.size());
        for (char c : in) {
            switch (c) {
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '&': out += "&amp;"; break;
            default: out += c;
            }
        }
        return out;
    }

    const BannerText& banner_;
};

TEST(BannerTextTest, ReplaceChangesTextAndRevision) {
    BannerText banner("hello");
    EXPECT_EQ(banner.revision(), 0);
    banner.replace("bye");
    EXPECT_EQ(banner.current(), "bye");
    EXPECT_EQ(banner.revision(), 1);
}

TEST(PageRendererTest, EscapesMarkup) {
    BannerText banner("a<b");
    PageRenderer renderer(banner);
    EXPECT_EQ(renderer.render("x&y"), "<h1>a&lt;b</h1><p>x&amp;y</p>");
}

TEST(PageRendererTest, RendersWhileEditorReplaces) {
    BannerText banner("welcome to the spring sale, everything must go");
    PageRenderer renderer(banner);
    std::vector<std::string> pages;

    std::thread editor([&] {
        banner.replace("the spring sale is over, thank you for your visit");
        banner.replace("opening hours have changed, see the contact page");
    });
    std::thread request([&] {
        for (int i = 0; i < 3; ++i)
            pages.push_back(renderer.render("item " + std::to_string(i)));
    });
    editor.join();
    request.join();

    ASSERT_EQ(pages.size(), 3u);
    for (const auto& page : pages)
        EXPECT_EQ(page.rfind("<h1>", 0), 0u) << page;
}

TEST(BannerTextTest, RevisionCountsConcurrentEdits) {
    BannerText banner("start");
    std::thread first([&] { banner.replace("one"); });
    std::thread second([&] { banner.replace("two"); });
    first.join();
    second.join();
    EXPECT_EQ(banner.revision(), 2);
}
