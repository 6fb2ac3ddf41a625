#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

using DocId = int;

class KeywordIndex {
public:
    void addDocument(DocId id, const std::string& text) {
        std::istringstream in(text);
        std::string word;
        std::unique_lock<std::shared_mutex> lock(mutex_);
        while (in >> word) {
            auto& docs = postings_[word];
            if (docs.empty() || docs.back() != id)
                docs.push_back(id);
        }
    }

    std::vector<DocId> documentsFor(const std::string& word) {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        return postings_[word];
    }

    std::vector<DocId> documentsForAll(const std::vector<std::string>& words) {
        std::vector<DocId> result;
        bool first = true;
        for (const auto& w : words) {
            std::vector<DocId> docs = documentsFor(w);
            std::sort(docs.begin(), docs.end());
            if (first) {
                result = std::move(docs);
                first = false;
            } else {
                std::vector<DocId> both;
                std::set_intersection(result.begin(), result.end(), docs.begin(), docs.end(),
                                      std::back_inserter(both));
                result = std::move(both);
            }
        }
        return result;
    }

    void removeDocument(DocId id) {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        for (auto& [word, docs] : postings_)
            docs.erase(std::remove(docs.begin(), docs.end(), id), docs.end());
    }

private:
    std::shared_mutex mutex_;
    std::unordered_map<std::string, std::vector<DocId>> postings_;
};

class KeywordIndexTest : public ::testing::Test {
protected:
    void SetUp() override {
        index.addDocument(1, "quick brown fox");
        index.addDocument(2, "lazy brown dog");
        index.addDocument(3, "quick red fox");
    }

    KeywordIndex index;
};

TEST_F(KeywordIndexTest, FindsDocuments) {
    EXPECT_EQ(index.documentsFor("brown"), (std::vector<DocId>{1, 2}));
    EXPECT_EQ(index.documentsFor("red"), (std::vector<DocId>{3}));
}

TEST_F(KeywordIndexTest, IntersectsWords) {
    EXPECT_EQ(index.documentsForAll({"quick", "fox"}), (std::vector<DocId>{1, 3}));
}

TEST_F(KeywordIndexTest, RemovesDocuments) {
    index.removeDocument(1);
    EXPECT_EQ(index.documentsFor("brown"), (std::vector<DocId>{2}));
}

TEST_F(KeywordIndexTest, ConcurrentQueries) {
    std::vector<DocId> a, b;
    std::thread left([&] { a = index.documentsForAll({"quick", "purple"}); });
    std::thread right([&] { b = index.documentsForAll({"lazy", "yellow"}); });
    left.join();
    right.join();
    EXPECT_TRUE(a.empty());
    EXPECT_TRUE(b.empty());
}

TEST_F(KeywordIndexTest, QueryWhileAdding) {
    std::thread writer([&] { index.addDocument(4, "green fox"); });
    std::vector<DocId> foxes;
    std::thread reader([&] { foxes = index.documentsFor("fox"); });
    writer.join();
    reader.join();
    EXPECT_GE(foxes.size(), 2u);
    EXPECT_LE(foxes.size(), 3u);
}
