// Text inside XML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

// < > & and quotes as entities; also right inside an attribute.
std::string xml_escaped(std::string_view text);

}  // namespace heddle
