package password

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"overton/internal/password/passwordtest"
)

func TestOnlyTheRightPasswordIsAccepted(t *testing.T) {
	t.Parallel()
	const right = "correct horse battery – staple"
	hash, err := Hash(t.Context(), right)
	if err != nil {
		t.Fatal(err)
	}
	cheap := passwordtest.Hash(t, right)
	for _, c := range []struct {
		name, hash, given string
		want              bool
	}{
		{"the same", hash, right, true},
		{"the same for a test's hash", cheap, right, true},
		{"another", hash, "correct horse battery staple", false},
		{"another case", cheap, strings.ToUpper(right), false},
		{"a blank more", cheap, right + " ", false},
		{"nothing", cheap, "", false},
		{"an account without a password", "", right, false},
		{"nothing for an account without a password", "", "", false},
		{"more than a password can have", cheap, strings.Repeat("x", longest+1), false},
	} {
		if got, err := Check(t.Context(), c.hash, c.given); got != c.want || err != nil {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	again, err := Hash(t.Context(), right)
	if err != nil || again == hash {
		t.Errorf("two hashes of one password are the same, %v", err)
	}
}

// The hash is one of the reference implementation's own test vectors
// (P-H-C/phc-winner-argon2, src/test.c).
func TestHashesOfOtherCostsAndProgramsAreRead(t *testing.T) {
	t.Parallel()
	const hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if ok, err := Check(t.Context(), hash, "password"); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestABrokenHashIsAnError(t *testing.T) {
	t.Parallel()
	for _, hash := range []string{"plain", "$argon2i$v=19$m=1024,t=1,p=1$c29tZXNhbHQ$AAAA", "$argon2id$v=16$m=1024,t=1,p=1$c29tZXNhbHQ$AAAA",
		"$argon2id$v=19$m=1024,t=0,p=1$c29tZXNhbHQ$AAAA", "$argon2id$v=19$m=1024,t=1,p=0$c29tZXNhbHQ$AAAA", "$argon2id$v=19$m=1024,t=1,p=1$c29tZXNhbHQ$",
		"$argon2id$v=19$m=1024,t=1,p=1$!$AAAA", "$argon2id$v=19$t=1$c29tZXNhbHQ$AAAA"} {
		if ok, err := Check(t.Context(), hash, "password"); ok || err == nil {
			t.Errorf("%s: %v, %v", hash, ok, err)
		}
	}
}

func TestHashingWaitsItsTurn(t *testing.T) {
	for range cap(atOnce) {
		atOnce <- struct{}{}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := Hash(ctx, "a long enough password"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("hashed beyond the limit: %v", err)
	}
	for range cap(atOnce) {
		<-atOnce
	}
	if _, err := Hash(t.Context(), "a long enough password"); err != nil {
		t.Error(err)
	}
}

func TestNewPasswordsMustBeLongEnough(t *testing.T) {
	t.Parallel()
	for password, good := range map[string]bool{
		"": false, strings.Repeat("x", Shortest-1): false, "äöüßéèêëçñøå": true,
		strings.Repeat("abcdefgh", longest/8): true, strings.Repeat("abcdefgh", longest/8) + "x": false,
		strings.Repeat("a", Shortest): false, strings.Repeat(" ", Shortest): false, "abABabABabAB abab": false,
	} {
		if err := Acceptable(password); (err == nil) != good {
			t.Errorf("%d bytes: %v", len(password), err)
		}
	}
}
