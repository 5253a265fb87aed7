package site

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestConsentTextIsRenderedBelowThePagesHeading(t *testing.T) {
	t.Parallel()
	got, err := Markdown("# One\n\n## Two\n\nSome *text*, <b>raw</b> and [a link](javascript:alert(1)).\n\n![Our *logo*](https://example.org/logo.png)\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"<h2>One</h2>", "<h3>Two</h3>", "<em>text</em>", `<a href="https://example.org/logo.png">Our <em>logo</em></a>`} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in %s", part, got)
		}
	}
	for _, part := range []string{"<b>", "javascript:", "<img"} {
		if strings.Contains(got, part) {
			t.Errorf("%q is in %s", part, got)
		}
	}
}

func TestAttemptsAreCountedByAddressAndByClient(t *testing.T) {
	t.Parallel()
	now := time.Now()
	var a attempts
	limits := func(address string) map[string]int {
		return map[string]int{"address " + address: AttemptsPerAddress, "client 1": AttemptsPerClient}
	}
	for i := range AttemptsPerAddress {
		if !a.Try(now, limits("a")) {
			t.Fatalf("attempt %d was refused", i+1)
		}
	}
	if a.Try(now, limits("a")) {
		t.Error("one address can be tried for ever")
	}
	for i := range AttemptsPerClient - AttemptsPerAddress {
		if !a.Try(now, limits(fmt.Sprint("b", i))) {
			t.Fatalf("attempt %d of the client was refused", AttemptsPerAddress+i+1)
		}
	}
	if a.Try(now, limits("c")) {
		t.Error("one client can try for ever")
	}
	if !a.Try(now, map[string]int{"address a2": 1, "client 2": 1}) {
		t.Error("others are refused, too")
	}
	now = now.Add(attemptSpan)
	if !a.Try(now, limits("a")) {
		t.Error("a quarter of an hour later it is still refused")
	}
}
