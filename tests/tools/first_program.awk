# Prints the first block of a page that is marked as C++: its quick start, a whole program.
/^```cpp$/ { on = 1; next }
/^```$/ { if (on) exit }
on { print }
