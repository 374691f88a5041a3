// Hashes against published vectors.
#include "agentfootprint/base/hash.hpp"

#include <gtest/gtest.h>

namespace agentfootprint {
namespace {

TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PieceByPieceIsTheSame) {
  Sha256 hash;
  hash.update("a");
  hash.update("");
  hash.update("bc");
  EXPECT_EQ(hash.finish(), sha256("abc"));
  hash.update("abc");  // it starts anew
  EXPECT_EQ(to_hex(hash.finish()), sha256_hex("abc"));
  Sha256 moved = std::move(hash);
  moved.update("abc");
  EXPECT_EQ(moved.finish(), sha256("abc"));
}

TEST(Hash64, DependsOnBytesAndSeed) {
  EXPECT_EQ(hash64("key"), hash64("key"));
  EXPECT_NE(hash64("key"), hash64("kez"));
  EXPECT_NE(hash64("key", 0), hash64("key", 1));
  EXPECT_EQ(hash64(""), hash64(std::string_view()));
}

}  // namespace
}  // namespace agentfootprint
