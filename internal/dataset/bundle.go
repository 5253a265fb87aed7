package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"time"

	"overton/internal/study"
)

// BundleRun is an analysis that was run on a bundle's data, with its result.
type BundleRun struct {
	ID        int64           `json:"id"`
	Kind      string          `json:"kind"`
	Name      string          `json:"name,omitempty"`
	Note      string          `json:"note,omitempty"`
	CreatedAt string          `json:"created_at"`
	Result    json.RawMessage `json:"result"` // with its parameters
}

// LeftOutRun is an analysis that a bundle does not contain.
type LeftOutRun struct {
	ID     int64  `json:"id"`
	Kind   string `json:"kind"`
	Name   string `json:"name,omitempty"`
	Reason string `json:"reason"`
}

const bundleReadMe = `# %s

The data of a study, its files, the analyses that were run on the data, and their results.
It was made by %s.

    overton reproduce THIS.zip

computes every result anew from the data and says whether it comes out the same.

| folder | holds |
|---|---|
| data | the data as JSON lines; data_dictionary.md explains each column |
| study | the study as it was launched: flow, texts, question sets, instruments |
| runs | the analyses, with their parameters and results |

manifest.json counts the data and holds the SHA-256 of every file.

Participants go by random pseudonyms. Left out are the recruiter's ids and what its file says of
people, free responses that moderation rejected, and comments on the study. The completion codes
in study/study.yaml are replaced by HIDDEN1, HIDDEN2 and so on; manifest.json names the hash of the
files as they were launched. Whoever had not finished counts as one who left.
`

// WriteBundle writes everything needed to recompute results, suitable for publication: the data without
// private parts, the study's files without its completion codes, and the runs. The same data and runs give
// the same bytes. Formats and At are ignored.
func (e *Export) WriteBundle(w io.Writer, folder string, runs []BundleRun, leftOut []LeftOutRun) (m Manifest, err error) {
	whole := *e
	whole.public, whole.Formats, whole.At = true, []Format{JSONL}, time.Time{}
	whole.bundled, whole.runs, whole.leftOut = true, runs, leftOut
	return whole.WriteZip(w, folder)
}

// addBundled writes what a bundle contains in addition to the data.
func (e *Export) addBundled(to target, m *Manifest) error {
	files, err := hideCodes(e.Study)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := m.add(to, "study/"+name, 0, files[name]); err != nil {
			return err
		}
	}
	for _, run := range e.runs {
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", " ")
		if err := encoder.Encode(run); err != nil {
			return fmt.Errorf("writing run %d: %w", run.ID, err)
		}
		if err := m.add(to, fmt.Sprintf("runs/%d-%s.json", run.ID, run.Kind), 0, b.Bytes()); err != nil {
			return err
		}
	}
	m.LeftOut = e.leftOut
	return m.add(to, "README.md", 0, fmt.Appendf(nil, bundleReadMe, e.Study.Title, e.Program))
}

// hideCodes returns a study's files with other completion codes. A leaked code lets people be paid without
// taking part.
func hideCodes(s *Study) (Files, error) {
	files := Files{}
	for name, content := range s.Files {
		files[name] = content
	}
	text := slices.Clone(files[StudyFile])
	hidden := 0
	for _, o := range []study.Outcome{study.Completed, study.NoConsent, study.ScreenedOut, study.FailedChecks, study.OverQuota} {
		code := s.Recruitment.Codes[o]
		if code == "" {
			continue
		}
		hidden++
		value := regexp.MustCompile(`(:\s*["']?)` + regexp.QuoteMeta(code) + `(["']?\s*(?:[,}#\n\r]|$))`)
		text = value.ReplaceAll(text, fmt.Appendf(nil, "${1}HIDDEN%d${2}", hidden))
	}
	files[StudyFile] = text
	read, err := ReadStudy(files)
	if err != nil {
		return nil, fmt.Errorf("hiding the completion codes: %w", err)
	}
	for o, code := range s.Recruitment.Codes {
		if code != "" && (read.Recruitment.Codes[o] == code || bytes.Contains(text, []byte(code))) {
			return nil, fmt.Errorf("the completion code for %s cannot be hidden in %s; write it only once, as the value of its key", o, StudyFile)
		}
	}
	return files, nil
}

// bundleData is the folder of a bundle's tables.
const bundleData = "data/"
