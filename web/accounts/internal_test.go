package accounts

import (
	"testing"
)

func TestTheSignInLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"": "/admin", "/admin/studies/x": "/admin/studies/x", "/admin": "/admin", "/administrator": "/admin", "//evil.example/admin/": "/admin",
		"https://evil.example/admin/": "/admin", "/s/small": "/admin", "javascript:alert(1)": "/admin", `/admin/\evil`: "/admin", "/admin/%zz": "/admin", "/admin/password?to=/admin/studies/x": "/admin/password?to=/admin/studies/x",
	} {
		if got := safePath(given); got != want {
			t.Errorf("%q leads to %q, want %q", given, got, want)
		}
	}
}
