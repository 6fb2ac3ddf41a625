// What this process and all that it has started have used of the processors: what a busy machine does not change.
#pragma once

namespace heddle::run {

// Seconds, those of processes that have ended and were waited for included. Where /proc does not tell of the others, only
// these and this process. Looks no more often than every few milliseconds.
double processor_seconds();

}  // namespace heddle::run
