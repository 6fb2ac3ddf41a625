// What a user may have meant by a word that is not known.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli {

// How many characters have to be added, left out, replaced or swapped with their neighbour to get from `a`
// to `b` (the distance of Damerau and Levenshtein, where no part is edited twice).
std::size_t edit_distance(std::string_view a, std::string_view b);

// " Did you mean 'seed'?" with the words of `known` that are nearest to `word`, at most three of them. Empty
// where none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace heddle::cli
