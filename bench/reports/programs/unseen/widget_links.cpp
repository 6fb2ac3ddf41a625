// A window owns widgets; labels keep weak links to the widgets they describe.
#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class Widget {
public:
    explicit Widget(std::string title) : title_(std::move(title)) {}
    virtual ~Widget() = default;

    void highlight() { highlights_.fetch_add(1); }
    int highlights() const { return highlights_.load(); }
    const std::string& title() const { return title_; }

private:
    const std::string title_;
    std::atomic<int> highlights_{0};
};

class Slider : public Widget {
public:
    Slider(std::string title, int min, int max) : Widget(std::move(title)), min_(min), max_(max) {}
    int range() const { return max_ - min_; }

private:
    int min_;
    int max_;
};

class Window {
public:
    template <typename W, typename... Args>
    std::shared_ptr<W> add(const std::string& id, Args&&... args) {
        auto w = std::make_shared<W>(std::forward<Args>(args)...);
        std::lock_guard<std::mutex> lock(mutex_);
        widgets_[id] = w;
        return w;
    }

    std::weak_ptr<Widget> link(const std::string& id) const {
        std::lock_guard<std::mutex> lock(mutex_);
        auto it = widgets_.find(id);
        return it == widgets_.end() ? std::weak_ptr<Widget>() : std::weak_ptr<Widget>(it->second);
    }

    void close() {
        std::map<std::string, std::shared_ptr<Widget>> gone;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            gone.swap(widgets_);
        }
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Widget>> widgets_;
};

class Label {
public:
    Label(std::string text, std::weak_ptr<Widget> target)
        : text_(std::move(text)), target_(std::move(target)) {}

    // Returns the full caption, or just the text when the widget is gone.
    std::string caption() const {
        if (target_.expired())
            return text_;
        auto widget = target_.lock();
        widget->highlight();
        return text_ + ": " + widget->title();
    }

private:
    std::string text_;
    std::weak_ptr<Widget> target_;
};

int main() {
    Window window;
    const int range = window.add<Slider>("volume", "Volume", 0, 11)->range();
    window.add<Widget>("mute", "Mute");

    std::vector<Label> labels;
    labels.emplace_back("Loudness", window.link("volume"));
    labels.emplace_back("Silence", window.link("mute"));
    labels.emplace_back("Nothing", window.link("balance"));

    std::vector<std::string> captions;
    std::thread painter([&] {
        for (const Label& l : labels)
            captions.push_back(l.caption());
    });
    std::thread events([&] { window.close(); });
    painter.join();
    events.join();

    std::printf("range %d\n", range);
    for (const auto& c : captions)
        std::printf("%s\n", c.c_str());
    return captions.size() == 3 ? 0 : 1;
}
