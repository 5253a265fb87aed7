package export

import (
	"strings"
	"testing"
)

type breaking struct{}

func (breaking) Write(b []byte) (int, error) { return len(b), nil }
func (breaking) Flush()                      { panic("the connection is gone") }

func TestAPanicWhileAnArchiveIsSentIsAnError(t *testing.T) {
	z := newZipTarget(breaking{}, "folder")
	f, err := z.create("a.csv")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("a,b\n")); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.finish(nil); err == nil || !strings.Contains(err.Error(), "the connection is gone") {
		t.Errorf("the archive ended with %v", err)
	}
}
