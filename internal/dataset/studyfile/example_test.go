package studyfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheExampleCanBeLaunchedAsItIs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	if err := WriteExample(dir); err != nil {
		t.Fatal(err)
	}
	s, err := Read(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(written) != len(s.Files) {
		t.Errorf("%d files in the folder, %d of them in the study", len(written), len(s.Files))
	}
	if s.Slug == "" || len(s.Questions.Questions) == 0 || len(s.Questions.Seeds) == 0 {
		t.Errorf("the example lacks something: %+v", s.Definition)
	}
}

func TestTheExampleOverwritesNothing(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "study.yaml")
	if err := os.WriteFile(mine, []byte("title: mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteExample(dir); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("got %v", err)
	}
	if content, err := os.ReadFile(mine); err != nil || string(content) != "title: mine\n" {
		t.Errorf("the file became %q, %v", content, err)
	}
}
