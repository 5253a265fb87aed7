// Package studyfile reads and writes a study's folder: study.yaml, the question
// set and the instruments that it names. It also says how two versions of a
// folder differ, and what looks wrong in one.
package studyfile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"overton/internal/dataset"
	"overton/internal/dataset/survey"
	"overton/internal/instrument"
	"overton/internal/study"
)

// FileName is the name of the file that a study's folder must have.
const FileName = "study.yaml"

// Study is a study as its folder describes it.
type Study struct {
	study.Study
	Instruments map[string]instrument.Instrument // by the name in the flow

	// Files are study.yaml and the files that it names, byte for byte. Reading
	// them again gives the same study.
	Files Files

	// Hash is the SHA-256 of Files, in hex: a launched study is known by it.
	Hash string

	sources Sources
}

// Read reads a study's folder: study.yaml and the files it names. The
// study is whole or the error is Faults, with all that is wrong in any of the
// files.
func Read(fsys fs.FS) (*Study, error) {
	r := studyReader{fsys: fsys, faults: new(dataset.Faults)}
	r.study.Files = Files{}
	r.study.Instruments = map[string]instrument.Instrument{}
	r.study.sources.Titles = map[string]string{}
	if content, ok := r.open(FileName, func(message string) {
		*r.faults = append(*r.faults, dataset.Fault{File: FileName, Message: message})
	}); ok {
		if root, ok := dataset.ParseYAML(FileName, content, r.faults); ok {
			r.read(root)
		}
	}
	if len(*r.faults) > 0 {
		return nil, r.faults.Ordered()
	}
	r.study.Hash = r.study.Files.hash()
	r.study.Questions.Index()
	return &r.study, nil
}

// studyReader carries a study while it is read.
type studyReader struct {
	fsys   fs.FS
	faults *dataset.Faults
	study  Study

	questions int  // in the question set; -1: not known
	overton   bool // an overton block was read
}

// read fills the study from study.yaml. Every key is named here, with its default.
func (r *studyReader) read(root dataset.Mapping) {
	d := &r.study.Definition
	d.Title = root.Text("title", "")
	d.Slug = root.Text("slug", "")
	d.Language = root.Text("language", "en")
	if !dataset.LanguageTag.MatchString(d.Language) {
		root.Fault("language", d.Language, "is no language tag; expected one such as en or pt-BR")
	}
	d.Contact = root.Text("contact", "")
	d.SecondRound = root.Flag("second_round", false)
	r.readRecruitment(root.Mapping("recruitment"))
	for _, entry := range root.List("flow") {
		d.Flow = append(d.Flow, r.readBlock(entry))
	}
	for _, entry := range root.List("checks") {
		m := entry.Mapping("instructed")
		d.Checks = append(d.Checks, study.Check{After: m.Number("after", 0), Text: m.Text("text", ""), Answer: m.Text("answer", "")})
		m.Done()
		entry.Done()
	}
	for _, entry := range root.List("quotas") {
		q := study.Quota{Variable: entry.Text("variable", ""), Targets: map[string]int{}}
		targets := entry.Mapping("targets")
		for _, value := range targets.Keys {
			q.Targets[value] = targets.Number(value, 0)
		}
		if len(q.Targets) == 0 {
			entry.Fault("targets", "", "is missing; expected lines such as “Democrat: 400”")
		}
		d.Quotas = append(d.Quotas, q)
		entry.Done()
	}
	r.readModels(root.Mapping("models"))
	root.Done()

	questions := r.questions
	if questions < 0 || !r.overton {
		questions = 1 << 30 // unknown, and no reason for a fault
	}
	for _, f := range d.Faults(questions) {
		root.Fault(f.Path, "", "%s", f.Message)
	}
}

func (r *studyReader) readRecruitment(m dataset.Mapping) {
	rec := &r.study.Recruitment
	rec.Minutes = m.Number("minutes", 0)
	rec.ReservationMinutes = m.Number("reservation_minutes", 40)
	rec.Resubmission = m.Flag("resubmission", false)
	prolific := m.Mapping("prolific")
	names := prolific.Mapping("parameters")
	rec.Parameters = study.ParameterNames{
		Participant: names.Text("participant", "PROLIFIC_PID"),
		Study:       names.Text("study", "STUDY_ID"),
		Submission:  names.Text("submission", "SESSION_ID"),
	}
	r.checkParameters(names, rec.Parameters)
	names.Done()
	codes := prolific.Mapping("codes")
	rec.Codes = map[study.Outcome]string{}
	for _, outcome := range codes.Keys {
		if code := codes.Text(outcome, ""); code != "" {
			rec.Codes[study.Outcome(outcome)] = code
		}
	}
	rec.SignedLinks = prolific.Flag("signed_links", false)
	prolific.Done()
	m.Done()
}

// readModels reads what language models may be sent.
func (r *studyReader) readModels(m dataset.Mapping) {
	for i, kind := range m.Texts("send") {
		if !slices.Contains(study.SentKinds, study.Sent(kind)) {
			m.Fault(fmt.Sprintf("send[%d]", i), kind, "is nothing that can be sent to models; expected free_responses, demographics or ratings")
		}
		r.study.Sent = append(r.study.Sent, study.Sent(kind))
	}
	m.Done()
}

var parameterPattern = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// checkParameters sees that the names of the query parameters can be told apart.
func (r *studyReader) checkParameters(m dataset.Mapping, names study.ParameterNames) {
	seen := map[string]bool{}
	for _, p := range []struct{ key, name string }{{"participant", names.Participant}, {"study", names.Study}, {"submission", names.Submission}} {
		switch {
		case !parameterPattern.MatchString(p.name):
			m.Fault(p.key, p.name, "is no name of a query parameter; expected letters, digits and _ - .")
		case seen[p.name]:
			m.Fault(p.key, p.name, "is used for two parameters; expected three different names")
		}
		seen[p.name] = true
	}
}

// readBlock reads one entry of the flow, such as “- consent: {file: consent.md}”.
// A block that cannot be read is empty, so that the others keep their number.
func (r *studyReader) readBlock(entry dataset.Mapping) (block study.Block) {
	if len(entry.Keys) != 1 {
		entry.Fault("", "", "names %d blocks; expected one of consent, survey, overton, feedback", len(entry.Keys))
		return block
	}
	switch key := entry.Keys[0]; key {
	case "consent":
		block.Consent = r.readConsent(entry.Mapping(key))
	case "survey":
		block.Survey = r.readSurvey(entry.Mapping(key))
	case "overton":
		block.Overton = r.readOverton(entry.Mapping(key))
	case "feedback":
		entry.Mapping(key).Done()
		block.Feedback = &study.Feedback{}
	default:
		entry.Fault(key, "", "is no block; expected one of consent, survey, overton, feedback")
	}
	return block
}

func (r *studyReader) readConsent(m dataset.Mapping) *study.Consent {
	f, ok := r.file(m, "file")
	r.study.sources.Consent = f.name
	m.Done()
	if !ok {
		return nil
	}
	text, ok := dataset.PlainText(f.name, f.data, r.faults)
	if !ok {
		return nil
	}
	return &study.Consent{Markdown: strings.ReplaceAll(string(text), "\r\n", "\n")}
}

func (r *studyReader) readSurvey(m dataset.Mapping) *study.Survey {
	questionnaire := &study.Survey{
		Instrument: m.Text("instrument", ""),
		Topics:     m.Number("topics_per_participant", 0),
		Sample:     m.Number("items_per_participant", 0),
		Repeat:     m.Number("repeat", 0),
	}
	if m.Text("items_per_page", "") != "topic" {
		questionnaire.PerPage = m.Number("items_per_page", 4)
		if questionnaire.PerPage < 1 {
			m.Fault("items_per_page", "", "is %d; expected 1 or more, or topic", questionnaire.PerPage)
		}
	}
	switch order := m.Text("order", "as_given"); order {
	case "as_given":
	case "reversed_half":
		questionnaire.ReverseHalf = true
	default:
		m.Fault("order", order, "is no order of options; expected as_given or reversed_half")
	}
	screens := m.Mapping("screen_out")
	for _, item := range screens.Keys {
		questionnaire.ScreenOut = append(questionnaire.ScreenOut, study.Condition{Instrument: questionnaire.Instrument, Item: item, Values: screens.Texts(item)})
	}
	title := m.Text("title", "")
	in, ok := instrument.BuiltIn(questionnaire.Instrument)
	if !ok {
		in, ok = r.readInstrument(m)
	}
	m.Done()
	if !ok {
		return nil
	}
	if title != "" {
		in.Title = title
		r.study.sources.Titles[in.Name] = title
	}
	r.study.Instruments[in.Name] = in
	for _, it := range in.Items {
		item := study.Item{ID: it.ID, Topics: it.Topics}
		for _, o := range it.Options {
			item.Options = append(item.Options, o.Code)
			if item.Fixed++; !o.Refusal && !o.Hedge {
				item.Fixed = 0
			}
		}
		if questionnaire.ReverseHalf && slices.ContainsFunc(it.Options[:len(it.Options)-item.Fixed], func(o instrument.Option) bool { return o.Refusal }) {
			m.Fault("order", "reversed_half", "is not possible: item %s has a refusal before other options; expected refusals last", it.ID)
		}
		for _, c := range it.AskIf {
			item.AskIf = append(item.AskIf, study.Condition{Instrument: cmp.Or(c.Instrument, in.Name), Item: c.Item, Values: c.Codes})
		}
		questionnaire.Items = append(questionnaire.Items, item)
	}
	return questionnaire
}

// readInstrument reads the file that an instrument's name names.
func (r *studyReader) readInstrument(m dataset.Mapping) (instrument.Instrument, bool) {
	name := m.Text("instrument", "")
	if name == "" || !strings.Contains(name, ".") {
		m.Fault("instrument", name, "is no instrument; expected us-demographics, or the name of a file in the study's folder")
		return instrument.Instrument{}, false
	}
	f, ok := r.file(m, "instrument")
	if !ok {
		return instrument.Instrument{}, false
	}
	in, err := survey.ReadInstrument(f.name, f.data)
	switch err := err.(type) {
	case nil:
		return in, true
	case dataset.Faults:
		*r.faults = append(*r.faults, err...)
	case dataset.Fault:
		*r.faults = append(*r.faults, err)
	default:
		m.Fault("instrument", name, "cannot be read: %s", err)
	}
	return instrument.Instrument{}, false
}

func (r *studyReader) readOverton(m dataset.Mapping) *study.Overton {
	o := &study.Overton{
		QuestionsPerParticipant: m.Number("questions_per_participant", 3),
		ParticipantsPerQuestion: m.Number("participants_per_question", 60),
		VotesPerQuestion:        m.Number("votes_per_question", 15),
		Moderation:              study.Moderation(m.Text("moderation", string(study.ModerationAfter))),
		Stance:                  m.Flag("stance", true),
		Importance:              m.Flag("importance", true),
		MinWords:                m.Number("min_words", 1),
	}
	if m.Text("responses_per_question", "all") != "all" {
		o.ResponsesPerQuestion = m.Number("responses_per_question", 0)
		if o.ResponsesPerQuestion == 0 {
			m.Fault("responses_per_question", "", "is 0; expected all, or 1 or more")
		}
	}
	questions, okQuestions := r.file(m, "questions")
	responses, okResponses := file{}, true // none: only viewpoints are collected
	if m.Text("responses", "") != "none" {
		responses, okResponses = r.file(m, "responses")
	}
	seeds, okSeeds := file{}, true
	if m.Text("seeds", "") != "" {
		seeds, okSeeds = r.file(m, "seeds")
	}
	m.Done()
	if r.overton { // Definition.Faults refuses a second block
		return o
	}
	r.overton, r.questions = true, -1
	r.study.sources.Questions, r.study.sources.Responses, r.study.sources.Seeds = questions.name, cmp.Or(responses.name, "none"), seeds.name
	if okQuestions && okResponses && okSeeds {
		r.study.Questions, r.questions = readQuestionSet(questions, responses, seeds, r.faults)
	}
	for _, q := range r.study.Questions.Questions {
		if n := len(r.study.Questions.Models(q.ID)); 0 < n && n < o.ResponsesPerQuestion {
			m.Fault("responses_per_question", "", "is %d, but question %q has %d responses; expected all, or %d or fewer", o.ResponsesPerQuestion, q.ID, n, n)
		}
	}
	return o
}

// file reads the file that a key names and keeps it with the study.
func (r *studyReader) file(m dataset.Mapping, key string) (file, bool) {
	name := m.Text(key, "")
	if name == "" {
		m.Fault(key, "", "is missing; expected the name of a file in the study's folder")
		return file{}, false
	}
	if !fs.ValidPath(name) || name == "." {
		m.Fault(key, name, "leads out of the study's folder; expected the name of a file in it")
		return file{}, false
	}
	data, ok := r.open(name, func(message string) { m.Fault(key, name, "%s", message) })
	return file{name, data}, ok
}

func (r *studyReader) open(name string, refuse func(message string)) ([]byte, bool) {
	content, err := fs.ReadFile(r.fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		refuse("is not in the study's folder")
	case err != nil:
		refuse("cannot be read: " + err.Error())
	default:
		r.study.Files[name] = content
		return content, true
	}
	return nil, false
}

// hash is the SHA-256 of the files' names and contents.
func (f Files) hash() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(h, "%q %d\n", name, len(f[name]))
		h.Write(f[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}
