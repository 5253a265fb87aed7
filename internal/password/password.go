// Package password hashes the passwords of accounts with argon2id (RFC 9106)
// and checks them. A hash is text in the usual form
// $argon2id$v=19$m=65536,t=3,p=2$SALT$KEY, so that its cost can be raised later
// and older hashes still be checked.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// Shortest and Longest bound a new password, in characters and in bytes.
const (
	Shortest = 12
	longest  = 1024
)

// The cost of a hash: three passes over 64 MiB on two cores.
const (
	passes   = 3
	memory   = 64 << 10 // KiB
	lanes    = 2
	saltSize = 16
	keySize  = 32
)

// atOnce is how many hashes are computed at the same time. Each takes 64 MiB,
// so a flood of sign-ins waits instead of filling the memory.
var atOnce = make(chan struct{}, 2)

// encoding is base64 as used in argon2's encoded form.
var encoding = base64.RawStdEncoding.Strict()

// nobody is checked if there is no hash, so that an unknown address takes as long as a known one.
var nobody = parsed{passes, memory, lanes, make([]byte, saltSize), make([]byte, keySize)}

type parsed struct {
	passes, memory uint32
	lanes          uint8
	salt, key      []byte
}

// Acceptable says what is wrong with a new password, or nil.
func Acceptable(password string) error {
	switch {
	case utf8.RuneCountInString(password) < Shortest:
		return fmt.Errorf("the password is shorter than %d characters", Shortest)
	case len(password) > longest:
		return fmt.Errorf("the password is longer than %d bytes", longest)
	case distinct(password) < fewest:
		return fmt.Errorf("the password repeats the same characters; use at least %d different ones", fewest)
	}
	return nil
}

// fewest is how many different characters a new password has, blanks not counted.
const fewest = 5

func distinct(password string) int {
	seen := map[rune]bool{}
	for _, r := range password {
		if !unicode.IsSpace(r) {
			seen[unicode.ToLower(r)] = true
		}
	}
	return len(seen)
}

// Hash hashes a password with its own salt. It may wait for other hashes; the error is ctx's if that takes
// too long.
func Hash(ctx context.Context, password string) (string, error) {
	p := parsed{passes: passes, memory: memory, lanes: lanes, salt: make([]byte, saltSize)}
	rand.Read(p.salt)
	key, err := p.derive(ctx, password, keySize)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.memory, p.passes, p.lanes,
		encoding.EncodeToString(p.salt), encoding.EncodeToString(key)), nil
}

// Check says whether a password is the one that was hashed. An empty hash matches no password, and takes as
// long to reject as any other. The error is ctx's, or says that the hash cannot be read.
func Check(ctx context.Context, hash, password string) (bool, error) {
	p := nobody
	if hash != "" {
		var err error
		if p, err = parse(hash); err != nil {
			return false, err
		}
	}
	if len(password) > longest {
		password = "" // no match either: an empty password is never accepted
	}
	key, err := p.derive(ctx, password, uint32(len(p.key)))
	if err != nil {
		return false, err
	}
	same := subtle.ConstantTimeCompare(key, p.key) == 1
	return same && hash != "" && password != "", nil
}

func (p parsed) derive(ctx context.Context, password string, size uint32) ([]byte, error) {
	select {
	case atOnce <- struct{}{}:
		defer func() { <-atOnce }()
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting to hash a password: %w", ctx.Err())
	}
	return argon2.IDKey([]byte(password), p.salt, p.passes, p.memory, p.lanes, size), nil
}

func parse(hash string) (p parsed, err error) {
	unreadable := errors.New("a stored password hash cannot be read")
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return p, unreadable
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.memory, &p.passes, &p.lanes); err != nil || p.passes == 0 || p.lanes == 0 {
		return p, unreadable
	}
	var errs [2]error
	p.salt, errs[0] = encoding.DecodeString(parts[4])
	p.key, errs[1] = encoding.DecodeString(parts[5])
	if errors.Join(errs[:]...) != nil || len(p.key) == 0 {
		return p, unreadable
	}
	return p, nil
}
