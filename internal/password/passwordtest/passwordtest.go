// Package passwordtest makes hashes of passwords that cost next to nothing, for
// tests that sign in. The cost stands in the hash, so checking one is as cheap.
package passwordtest

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"testing"

	"golang.org/x/crypto/argon2"
)

// Hash hashes a password as package password does, in one pass over 8 KiB.
func Hash(t testing.TB, password string) string {
	t.Helper()
	salt := make([]byte, 16)
	rand.Read(salt)
	key := argon2.IDKey([]byte(password), salt, 1, 8, 1, 32)
	text := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=8,t=1,p=1$%s$%s", argon2.Version, text(salt), text(key))
}
