package dataset

import (
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"overton/internal/instrument"
)

// The guide must know every key that the example or the tests' study uses, and
// quote faults as they really are.
func TestTheStudyGuideKnowsEveryKeyAndCode(t *testing.T) {
	guide := string(contentOf(t, "../../docs/study-guide.md"))
	for _, content := range [][]byte{contentOf(t, "example/study.yaml"), folder()["study.yaml"]} {
		var file any
		if err := yaml.Unmarshal(content, &file); err != nil {
			t.Fatal(err)
		}
		keys := keysOf(file)
		if len(keys) < 20 {
			t.Fatalf("found only the keys %q", keys)
		}
		for _, key := range keys {
			if !strings.Contains(guide, key) {
				t.Errorf("the guide does not mention %s", key)
			}
		}
	}
	for _, it := range instrument.USDemographics().Items {
		for _, o := range it.Options {
			if !strings.Contains(guide, "`"+o.Code+"`") {
				t.Errorf("the guide does not list %q of %s", o.Code, it.ID)
			}
		}
	}
}

// keysOf lists the keys of all mappings in a value read from YAML.
func keysOf(value any) (keys []string) {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			keys = append(append(keys, key), keysOf(below)...)
		}
	case []any:
		for _, entry := range v {
			keys = append(keys, keysOf(entry)...)
		}
	}
	return keys
}

func TestTheStudyGuideQuotesRealFaults(t *testing.T) {
	guide := string(contentOf(t, "../../docs/study-guide.md"))
	f := Files{
		"study.yaml": []byte(strings.Replace(string(folder()["study.yaml"]), "questions_per_participant", "question_per_participant", 1)),
		"consent.md": folder()["consent.md"],
		"questions.csv": []byte("question_id,source,question,option_1,option_2\n1,modelslant,One?,,\n2,modelslant,Two?,Yes,\n" +
			"3,modelslant,Three?,,\n4,modelslant,Four?,,\n5,modelslant,Five?,,\n"),
		"responses.csv": []byte("question_id,model,llm_response\n1,m,a\n1,gpt-4.1,a\n2,m,b\n2,gpt-4.1,b\n3,m,c\n3,gpt-4.1,c\n4,m,d\n4,gpt4.1,d\n5,m,e\n5,gpt-4.1,e\n"),
		"seeds.csv":     []byte("question_id,statements\n1,x\n"),
	}
	_, err := ReadStudy(f)
	if err == nil {
		t.Fatal("no fault")
	}
	for _, line := range strings.Split(err.Error(), "\n") {
		if !strings.Contains(guide, line) {
			t.Errorf("the guide should quote\n%s", line)
		}
	}
}

func contentOf(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
