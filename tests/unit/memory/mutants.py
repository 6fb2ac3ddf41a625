#!/usr/bin/env python3
"""Deliberate errors in the rule of S: the litmus tests have to notice each.

    mutants.py --root SOURCES --build BUILD [--work DIR] [NAME ...]

Each mutant is a copy of runtime/memory in which a piece of text is replaced. What depends on it is compiled anew and runs
mutant_check on tests/litmus. Exit status: 0 all are noticed that should be, 1 some are not.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

# File, text, what it is replaced by. Several of these are one mutant.
MUTANTS = {
    "none": [],
    "lambda is ignored": [("overtaking.cpp", "if (spot.after <= s.lambda) break;", ""),
                          ("overtaking.cpp", "|| spot.before < s.lambda", "")],
    "lambda of the own thread only": [("thread_clocks.cpp", "if (lambda > s.lambda) s.lambda = lambda;", "")],
    "a message carries its own store in lambda": [
        ("memory_model.h", "store.seq_time = store.delta = time;", "store.seq_time = store.delta = store.lambda = time;")],
    "an acquire raises lambda for its own place": [
        ("overtaking.cpp", "store.seq_time <= spot.before", "std::max(store.seq_time, store.lambda) <= spot.before")],
    "no bounds above": [("overtaking.cpp", "if (event.time <= before ||", "if (true ||"),
                        ("overtaking.cpp", "if (from == ThreadClocks::kNever ||", "if (true ||")],
    "no bounds above by fences": [("overtaking.cpp", "if (from == ThreadClocks::kNever ||", "if (true ||")],
    "no bounds above by accesses": [("overtaking.cpp", "if (event.time <= before ||", "if (true ||")],
    "the last access of a thread bounds from above": [("location.h", "if (older[i - 1].time < from) break;", "break;")],
    "bounds above are not strict": [("overtaking.cpp", "(writes ? masks.strict : masks.weak) |=", "(writes && false ? masks.strict : masks.weak) |=")],
    "a fence may be put anywhere": [("overtaking.cpp", "if (may_fence(t, spot)) list", "list"),
                                    ("overtaking_commits.cpp", "put_others_below(x, under.known, over.all());", "")],
    "at a fence reads do not count": [
        ("overtaking.h", "        under.add(x, x.accessors[a].history.at(s.clock[index_of(x.accessors[a].thread)]));",
         "        if (const Sequence q = x.accessors[a].history.at(s.clock[index_of(x.accessors[a].thread)]);\n"
         "            x.is_live(q) && x.store(q).writer == x.accessors[a].thread)\n          under.add(x, q);")],
    "sigma is the fence that was executed last": [
        ("thread_clocks.cpp", "if (m.view->sigma > s.sigma) learn", "if (m.view->sigma != 0 && m.view->sigma != s.sigma) learn"),
        ("thread_clocks.cpp", "if (s.acquire_fence_sigma > s.sigma) learn", "if (s.acquire_fence_sigma != 0) learn")],
    "delta without what is read itself": [("overtaking.cpp", "spot.after <= std::max(own_delta, store.delta)", "spot.after <= own_delta")],
    "delta through happens-before only": [
        ("short_ways.h", "ThreadClocks::see(threads_.state(t), store.delta);",
         "if (is_acquire(reading.order) && store.message) ThreadClocks::see(threads_.state(t), store.delta);")],
    "an update is bounded as a load": [("overtaking.cpp", "if (kind != Kind::kLoad) {", "if (kind == Kind::kStore) {")],
    "reading back is left out without a substitute": [("overtaking.cpp", "  return masks.known;\n}", "  return 0;\n}")],
    "reading back an own update": [("overtaking.h", "&& !store.updates", "")],
    "reading back as by the words": [("overtaking.h", "return model_.reads_back_freely &&", "return false &&")],
    "nothing is drained": [("overtaking_commits.cpp", "    order_.add_soft(*x, {time, store});", "")],
    "accesses after a fence are not told from those before": [
        ("memory_model.h", "if (accessor.history.last.time < s.risen) [[unlikely]] return record_after_fence(x, accessor, t, store);", "")],
}
# A bound above that writes is mo-after what it bounds by other rules as well.
UNNOTICED = {"none", "bounds above are not strict"}
FLAGS = ["-std=c++20", "-O1", "-DNDEBUG", "-w"]


def run(command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def compile_all(sources, includes, folder):
    objects = []
    launcher = ["ccache"] if shutil.which("ccache") else []
    for source in sources:
        out = os.path.join(folder, os.path.basename(source) + ".o")
        result = run([*launcher, "g++", *FLAGS, *[f"-I{path}" for path in includes], "-c", source, "-o", out])
        if result.returncode != 0:
            raise SystemExit(f"{source} cannot be compiled:\n{result.stderr}")
        objects.append(out)
    return objects


def sources_below(root, folder):
    return sorted(os.path.join(path, name) for path, _, names in os.walk(os.path.join(root, folder)) for name in names if name.endswith(".cpp"))


def check(name, replacements, options, others, work):
    tree = os.path.join(work, "tree")
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(os.path.join(options.root, "runtime", "memory"), os.path.join(tree, "runtime", "memory"))
    for file, old, new in replacements:
        path = os.path.join(tree, "runtime", "memory", file)
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        if old not in text:
            raise SystemExit(f"{name}: {file} has no longer the text {old!r}")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text.replace(old, new))
    tests = os.path.join(options.root, "tests", "unit", "memory")
    sources = sources_below(tree, "runtime/memory") + [os.path.join(tests, "explore.cpp"), os.path.join(tests, "mutant_check.cpp")]
    objects = compile_all(sources, [tree, options.root], work)
    program = os.path.join(work, "mutant_check")
    result = run(["g++", *objects, *others, "-o", program])
    if result.returncode != 0:
        raise SystemExit(result.stderr)
    result = run([program, os.path.join(options.root, "tests", "litmus")])
    noticed = result.stdout.split()
    print(f"{name:60} {'noticed by ' + str(len(noticed)) if noticed else 'crashed' if result.returncode not in (0, 1) else 'not noticed'}", flush=True)
    return result.returncode != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--work")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    others = [os.path.join(options.build, path) for path in
              ("tests/oracle/libheddle_oracle.a", "core/litmus/libheddle_litmus.a", "core/trace/libheddle_trace.a", "core/base/libheddle_base.a")]
    wrong = []
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or temporary
        os.makedirs(work, exist_ok=True)
        for name in options.names or MUTANTS:
            if check(name, MUTANTS[name], options, others, work) == (name in UNNOTICED):
                wrong.append(name)
    for name in wrong:
        print("wrong:", name)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
