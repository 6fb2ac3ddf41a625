// Processes that an execution has started and left behind.
#pragma once

namespace heddle::session {

// Ends and reaps every child of the calling process. The zygote is the reaper of its executions' orphans
// (PR_SET_CHILD_SUBREAPER): also those that went into sessions of their own are found here.
void end_orphans();

}  // namespace heddle::session
