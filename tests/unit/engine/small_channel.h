// A channel in the test's own memory, with room for little.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/trace/channel.h"

namespace heddle::engine::testing {

class SmallChannel {
 public:
  static ChannelSizes little() {
    ChannelSizes sizes;
    sizes.choices = 64;
    sizes.events = 64;
    sizes.stack_nodes = 1024;
    sizes.findings = 4;
    sizes.text = 4096;
    sizes.ring = 16;
    return sizes;
  }
  explicit SmallChannel(const ChannelSizes& sizes = little())
      : memory_(std::aligned_alloc(4096, (Channel::bytes_needed(sizes) + 4095) / 4096 * 4096), std::free) {
    std::memset(memory_.get(), 0, Channel::bytes_needed(sizes));
    channel_ = Channel::initialise(memory_.get(), sizes);
  }
  Channel channel() const { return channel_; }
  ChannelHeader& header() const { return *channel_.header(); }

 private:
  std::unique_ptr<void, void (*)(void*)> memory_;
  Channel channel_;
};

}  // namespace heddle::engine::testing
