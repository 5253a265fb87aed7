package take

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"overton/web/site"
)

func TestTimesAndTrailsArriveAndAreBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		active string
		want   time.Duration
	}{{"", 0}, {"-5", 0}, {"x", 0}, {"1500", 1500 * time.Millisecond}, {"99999999999999", site.CookieLife}} {
		if got := timing(sent{active: c.active}, time.Time{}).Active; got != c.want && c.active != "99999999999999" || got < 0 || got > site.CookieLife {
			t.Errorf("active %q is read as %v", c.active, got)
		}
	}
	if got := timing(sent{trail: strings.Repeat("x", 9999)}, time.Time{}).Trail; len(got) != maxTrail {
		t.Errorf("a trail of %d bytes was kept", len(got))
	}
	if got := timing(sent{trail: "a" + strings.Repeat("é", maxTrail/2) + "\xff\x00"}, time.Time{}).Trail; !utf8.ValidString(got) || len(got) != maxTrail-1 {
		t.Errorf("a trail cut within a character ends in %q", got[len(got)-3:])
	}
}
