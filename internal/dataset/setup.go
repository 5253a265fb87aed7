package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"overton/internal/study"
)

// Setup is what a study.yaml says, as a value that can be changed and written
// back. Texts, items and questions are in the files that it names.
type Setup struct {
	study.Definition
	Sources
}

// Sources are the names of the files that study.yaml reads its parts from.
type Sources struct {
	Consent   string
	Questions string
	Responses string            // "none": only viewpoints are collected
	Seeds     string            // "": none
	Titles    map[string]string // of surveys whose title study.yaml sets, by instrument
}

// Setup is what a study.yaml says, as a value that can be changed and written
// back. Texts, items and questions are in the files that it names.
func (s *Study) Setup() *Setup {
	setup := &Setup{Definition: s.Definition, Sources: s.sources}
	setup.Titles = maps.Clone(s.sources.Titles)
	setup.Recruitment.Codes = maps.Clone(s.Recruitment.Codes)
	setup.Flow = slices.Clone(s.Flow)
	for i, b := range setup.Flow {
		switch {
		case b.Survey != nil:
			survey := *b.Survey
			setup.Flow[i].Survey = &survey
		case b.Overton != nil:
			overton := *b.Overton
			setup.Flow[i].Overton = &overton
		}
	}
	setup.Checks = slices.Clone(s.Checks)
	setup.Sent = slices.Clone(s.Sent)
	setup.Quotas = slices.Clone(s.Quotas)
	for i, q := range setup.Quotas {
		setup.Quotas[i].Targets = maps.Clone(q.Targets)
	}
	return setup
}

// YAML writes the setup as a study.yaml, with a word on what is not plain.
// Reading it gives the same setup again.
func (s *Setup) YAML() []byte {
	w := &yamlWriter{}
	w.text(0, "title", s.Title, "")
	w.text(0, "slug", s.Slug, "how its link ends, after /s/")
	w.text(0, "language", s.Language, "")
	if s.Contact != "" {
		w.text(0, "contact", s.Contact, "shown where a page cannot help people on")
	}
	w.flag(0, "second_round", s.SecondRound, "people who found too little to vote on may come back for the rest")
	w.line(0, "")
	s.writeRecruitment(w)
	w.line(0, "")
	w.line(0, "# The blocks that a participant walks, in this order.")
	w.key(0, "flow")
	for _, b := range s.Flow {
		s.writeBlock(w, b)
	}
	if len(s.Checks) > 0 {
		w.line(0, "")
		w.line(0, "# Each asks in plain words for one answer, after that many of the person's questions.")
		w.key(0, "checks")
		for _, c := range s.Checks {
			w.line(1, fmt.Sprintf("- instructed: {after: %d, text: %s, answer: %s}", c.After, quoted(c.Text), quoted(c.Answer)))
		}
	}
	if len(s.Quotas) > 0 {
		w.line(0, "")
		w.line(0, "# How many people with each answer may take part; answers not named have no limit.")
		w.key(0, "quotas")
		for _, q := range s.Quotas {
			w.line(1, "- variable: "+scalar(q.Variable))
			w.line(2, "targets:")
			for _, value := range slices.Sorted(maps.Keys(q.Targets)) {
				w.line(3, fmt.Sprintf("%s: %d", scalar(value), q.Targets[value]))
			}
		}
	}
	if len(s.Sent) > 0 {
		kinds := make([]string, len(s.Sent))
		for i, kind := range s.Sent {
			kinds[i] = string(kind)
		}
		w.line(0, "")
		w.line(0, "# What of people's answers language models may be sent, never with who they are.")
		w.key(0, "models")
		w.line(1, "send: ["+strings.Join(kinds, ", ")+"]")
	}
	return w.Bytes()
}

func (s *Setup) writeRecruitment(w *yamlWriter) {
	r := s.Recruitment
	w.key(0, "recruitment")
	w.key(1, "prolific")
	w.line(2, "# One completion code for each way that a submission can end.")
	w.key(2, "codes")
	for _, o := range []study.Outcome{study.Completed, study.NoConsent, study.ScreenedOut, study.FailedChecks, study.OverQuota} {
		if code := r.Codes[o]; code != "" {
			w.text(3, string(o), code, "")
		}
	}
	w.line(2, "# Names of the three ids in the study's link.")
	w.line(2, fmt.Sprintf("parameters: {participant: %s, study: %s, submission: %s}", quoted(r.Parameters.Participant), quoted(r.Parameters.Study), quoted(r.Parameters.Submission)))
	w.flag(2, "signed_links", r.SignedLinks, "")
	w.number(1, "minutes", r.Minutes, "what people are told the whole study takes")
	w.number(1, "reservation_minutes", r.ReservationMinutes, "a place stays reserved so long after the last answer")
	w.flag(1, "resubmission", r.Resubmission, "whoever finished may take part again")
}

func (s *Setup) writeBlock(w *yamlWriter, b study.Block) {
	switch {
	case b.Consent != nil:
		w.key(1, "- consent")
		w.text(3, "file", s.Consent, "")
	case b.Survey != nil:
		v := b.Survey
		w.key(1, "- survey")
		w.text(3, "instrument", v.Instrument, "")
		if title := s.Titles[v.Instrument]; title != "" {
			w.text(3, "title", title, "")
		}
		perPage := "topic"
		if v.PerPage != 0 {
			perPage = strconv.Itoa(v.PerPage)
		}
		w.line(3, "items_per_page: "+perPage)
		if v.Topics != 0 {
			w.number(3, "topics_per_participant", v.Topics, "")
		}
		if v.Sample != 0 {
			w.number(3, "items_per_participant", v.Sample, "")
		}
		if v.ReverseHalf {
			w.line(3, "order: reversed_half")
		}
		if v.Repeat != 0 {
			w.number(3, "repeat", v.Repeat, "items asked a second time, at the end of the block")
		}
		if len(v.ScreenOut) > 0 {
			w.key(3, "screen_out")
			for _, c := range v.ScreenOut {
				var values []string
				for _, v := range c.Values {
					values = append(values, scalar(v))
				}
				w.line(4, scalar(c.Item)+": ["+strings.Join(values, ", ")+"]")
			}
		}
	case b.Overton != nil:
		o := b.Overton
		w.key(1, "- overton")
		w.text(3, "questions", s.Questions, "")
		w.text(3, "responses", s.Responses, "")
		if s.Seeds != "" {
			w.text(3, "seeds", s.Seeds, "statements to vote on for those who come first")
		}
		w.number(3, "questions_per_participant", o.QuestionsPerParticipant, "")
		w.number(3, "participants_per_question", o.ParticipantsPerQuestion, "")
		responses := "all"
		if o.ResponsesPerQuestion != 0 {
			responses = strconv.Itoa(o.ResponsesPerQuestion)
		}
		w.line(3, "responses_per_question: "+responses)
		w.number(3, "votes_per_question", o.VotesPerQuestion, "")
		w.text(3, "moderation", string(o.Moderation), "when others see a statement: before, after or off")
		w.flag(3, "stance", o.Stance, "ask which end is closer, where a question has two")
		w.flag(3, "importance", o.Importance, "")
		w.number(3, "min_words", o.MinWords, "of a free response")
	case b.Feedback != nil:
		w.line(1, "- feedback: {}")
	}
}

// yamlWriter writes lines of YAML, two blanks to a level.
type yamlWriter struct{ bytes.Buffer }

func (w *yamlWriter) line(level int, text string) {
	if text != "" {
		w.WriteString(strings.Repeat("  ", level))
	}
	w.WriteString(text + "\n")
}

func (w *yamlWriter) key(level int, name string) { w.line(level, name+":") }

func (w *yamlWriter) pair(level int, name, value, remark string) {
	if remark != "" {
		value += " # " + remark
	}
	w.line(level, name+": "+value)
}

func (w *yamlWriter) text(level int, name, value, remark string) {
	w.pair(level, name, scalar(value), remark)
}

func (w *yamlWriter) number(level int, name string, value int, remark string) {
	w.pair(level, name, strconv.Itoa(value), remark)
}

func (w *yamlWriter) flag(level int, name string, value bool, remark string) {
	w.pair(level, name, strconv.FormatBool(value), remark)
}

// plainScalar is what YAML takes for a text without quotes, whatever its
// version: letters first, and none of the words that mean true, false or null.
var plainScalar = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./@-]*( [A-Za-z0-9_./@-]+)*$`)

var yamlWords = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n", "inf", "nan"}

// scalar writes a text, in quotes where it needs them.
func scalar(text string) string {
	if plainScalar.MatchString(text) && !slices.Contains(yamlWords, strings.ToLower(text)) {
		return text
	}
	return quoted(text)
}

// quoted writes a text in double quotes, as JSON and YAML both read it.
func quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic("dataset: a text cannot be quoted: " + err.Error()) // no text fails
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// OwnRemarks says whether a study.yaml has comments that would be lost by rewriting it.
func (s *Study) OwnRemarks() bool {
	written := strings.Split(string(s.Setup().YAML()), "\n")
	for line := range strings.Lines(string(s.Files[StudyFile])) {
		_, remark, ok := strings.Cut(strings.TrimSpace(line), "#")
		if !ok || strings.Trim(remark, "# ") == "" {
			continue
		}
		if !slices.ContainsFunc(written, func(w string) bool { return strings.HasSuffix(w, "#"+remark) }) {
			return true
		}
	}
	return false
}

var slugLine = regexp.MustCompile(`(?m)^slug[ \t]*:[ \t]*("[^"\n]*"|'[^'\n]*'|[^\s#"']+)`)

// WithSlug returns a study's files under another slug. Only study.yaml
// changes, and of it only the slug where it stands on a line of its own.
func (s *Study) WithSlug(slug string) Files {
	files := maps.Clone(s.Files)
	content := slugLine.ReplaceAll(s.Files[StudyFile], []byte("slug: "+scalar(slug)))
	files[StudyFile] = content
	if again, err := ReadStudy(files); err == nil && again.Slug != slug {
		setup := s.Setup()
		setup.Slug = slug
		files[StudyFile] = setup.YAML()
	}
	return files
}
