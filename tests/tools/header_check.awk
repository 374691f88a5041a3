# Writes a source that includes one header alone and compiles the examples of its comments.
# A block starts after a comment line `// Example:` (statements, put into a function) or
# `// Example (file scope):` and goes on while lines are empty comments or `//   code`.
BEGIN {
  printf "#include \"%s\"\n", header
  n = 0; mode = ""
}
function finish() { if (mode == "body") print "}"; mode = "" }
/^[ ]*\/\/+ Example:[ ]*$/ {
  finish(); mode = "body"
  printf "[[maybe_unused]] static void example_%d() {\n  using namespace agentfootprint;\n", ++n
  next
}
/^[ ]*\/\/+ Example \(file scope\):[ ]*$/ { finish(); mode = "file"; next }
mode != "" && /^[ ]*\/\/+   / { line = $0; sub(/^[ ]*\/\/+ /, "", line); print line; next }
mode != "" && /^[ ]*\/\/+[ ]*$/ { print ""; next }
{ finish() }
END { finish() }
