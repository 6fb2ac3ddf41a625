// The record of what was run: program, arguments, directory and variables.
#include "tool/artifact/codec.h"
#include "tool/base/bytes.h"

namespace heddle::codec {

std::string encode_program(const ProgramIdentity& p) {
  ByteWriter w;
  w.text(1, p.path);
  w.text(2, p.build_id);
  for (const std::string& argument : p.argv) w.element(3, argument);
  w.text(4, p.cwd);
  for (const auto& [name, value] : p.environment) {
    ByteWriter variable;
    variable.text(1, name);
    variable.text(2, value);
    w.element(5, variable.bytes());
  }
  for (const std::string& name : p.unset) w.element(6, name);
  return w.take();
}

bool decode_program(std::string_view bytes, ProgramIdentity& p) {
  bool good = true;
  return read_record(bytes,
                     [&](const Field& f) {
                       switch (f.tag) {
                         case 1:
                           p.path = f.str();
                           break;
                         case 2:
                           p.build_id = f.str();
                           break;
                         case 3:
                           p.argv.push_back(f.str());
                           break;
                         case 4:
                           p.cwd = f.str();
                           break;
                         case 5: {
                           auto& [name, value] = p.environment.emplace_back();
                           good &= read_record(f.bytes, [&](const Field& v) {
                             if (v.tag == 1) name = v.str();
                             if (v.tag == 2) value = v.str();
                           });
                           break;
                         }
                         case 6:
                           p.unset.push_back(f.str());
                           break;
                         default:
                           break;
                       }
                     }) &&
         good;
}

}  // namespace heddle::codec
