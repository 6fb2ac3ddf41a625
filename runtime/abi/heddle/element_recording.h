// The recorder of shared elements, as the recorder of native runs (recording.h) starts and ends it.
#pragma once

namespace heddle::abi {

// REQUIRES: the log is open.
void start_element_recording();
// The running thread has begun; record::end_element_thread() when it ends.
void begin_element_thread();

}  // namespace heddle::abi
