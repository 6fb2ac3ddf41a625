#include "tool/cli/element_profile.h"

#include <algorithm>

#include "core/trace/orders.h"
#include "tool/record/access_log.h"
#include "tool/record/element_orders.h"
#include "tool/record/show_access_log.h"

namespace heddle::cli {

Result<ProfiledElements> profile_elements(const run::Target& target, const RunSpec& spec,
                                          std::uint32_t executions, bool lean, const std::string& profile) {
  auto elements = read_elements(target.path, AccessScheme::kVariables);
  if (!elements) return elements.error();
  std::vector<AccessVector> empty;
  for (const SharedElement& element : *elements) empty.push_back({element.id, {}});
  const std::vector<std::byte> orders = make_orders(empty, {});
  std::vector<std::uint64_t> seen(elements->size());
  RunSpec profiling = spec;
  profiling.plain_events = PlainEvents::kShared;
  static_assert(is_profile(0, PlainEvents::kShared), "vectors without runs only name what is looked at");
  profiling.fresh_memory = 1;
  for (std::uint32_t i = 0; i < executions; ++i) {
    // In every other one threads take turns at every access, so that what needs an unlucky moment to be
    // shared is seen as well.
    profiling.element_points = i % 2 == 0 ? 0 : element_points::kAccesses;
    run::SingleOptions options;
    options.index = i;
    options.symbolise = false;
    options.orders = orders;
    auto done = run::run_single(target, profiling, options);
    if (!done) return done.error();
    for (std::size_t k = 0; k < done->orders.size(); ++k)
      seen[k] = std::max(seen[k], done->orders[k].reached);
  }
  std::vector<SharedElement> shared;
  std::uint32_t left_out = 0;
  for (std::size_t k = 0; k < seen.size(); ++k) {
    if (seen[k] == 0) continue;
    if (lean && seen[k] == element_seen::kProtected)
      ++left_out;
    else
      shared.push_back((*elements)[k]);
  }
  if (auto written = add_to_profile(profile, shared); !written) return written.error();
  return ProfiledElements{static_cast<std::uint32_t>(elements->size()),
                          static_cast<std::uint32_t>(shared.size()) + left_out, left_out};
}

}  // namespace heddle::cli
