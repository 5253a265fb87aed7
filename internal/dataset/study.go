package dataset

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

	"overton/internal/instrument"
	"overton/internal/study"
)

// StudyFile is the name of the file that a study's folder must have.
const StudyFile = "study.yaml"

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

// ReadStudy reads a study's folder: study.yaml and the files it names. The study is complete, or the error is
// Faults, with everything wrong in any of the files.
func ReadStudy(fsys fs.FS) (*Study, error) {
	r := studyReader{fsys: fsys, faults: new(Faults)}
	r.study.Files = Files{}
	r.study.Instruments = map[string]instrument.Instrument{}
	r.study.sources.Titles = map[string]string{}
	if content, ok := r.open(StudyFile, func(message string) {
		*r.faults = append(*r.faults, Fault{File: StudyFile, Message: message})
	}); ok {
		if root, ok := parseYAML(StudyFile, content, r.faults); ok {
			r.read(root)
		}
	}
	if len(*r.faults) > 0 {
		return nil, r.faults.ordered()
	}
	r.study.Hash = r.study.Files.hash()
	r.study.Questions.Index()
	return &r.study, nil
}

// studyReader carries a study while it is read.
type studyReader struct {
	fsys   fs.FS
	faults *Faults
	study  Study

	questions int  // in the question set; -1: not known
	overton   bool // an overton block was read
}

// read takes one answer: from its text, or from the letter recorded where the
// file has no text.
func (r *studyReader) read(root mapping) {
	d := &r.study.Definition
	d.Title = root.text("title", "")
	d.Slug = root.text("slug", "")
	d.Language = root.text("language", "en")
	if !languagePattern.MatchString(d.Language) {
		root.fault("language", d.Language, "is not a language tag; expected one such as en or pt-BR")
	}
	d.Contact = root.text("contact", "")
	d.SecondRound = root.flag("second_round", false)
	r.readRecruitment(root.mapping("recruitment"))
	for _, entry := range root.list("flow") {
		d.Flow = append(d.Flow, r.readBlock(entry))
	}
	for _, entry := range root.list("checks") {
		m := entry.mapping("instructed")
		d.Checks = append(d.Checks, study.Check{After: m.number("after", 0), Text: m.text("text", ""), Answer: m.text("answer", "")})
		m.done()
		entry.done()
	}
	for _, entry := range root.list("quotas") {
		q := study.Quota{Variable: entry.text("variable", ""), Targets: map[string]int{}}
		targets := entry.mapping("targets")
		for _, value := range targets.keys {
			q.Targets[value] = targets.number(value, 0)
		}
		if len(q.Targets) == 0 {
			entry.fault("targets", "", "is missing; expected lines such as “Democrat: 400”")
		}
		d.Quotas = append(d.Quotas, q)
		entry.done()
	}
	r.readModels(root.mapping("models"))
	root.done()

	questions := r.questions
	if questions < 0 || !r.overton {
		questions = 1 << 30 // unknown, and no reason for a fault
	}
	for _, f := range d.Faults(questions) {
		root.fault(f.Path, "", "%s", f.Message)
	}
}

func (r *studyReader) readRecruitment(m mapping) {
	rec := &r.study.Recruitment
	rec.Minutes = m.number("minutes", 0)
	rec.ReservationMinutes = m.number("reservation_minutes", 40)
	rec.Resubmission = m.flag("resubmission", false)
	prolific := m.mapping("prolific")
	names := prolific.mapping("parameters")
	rec.Parameters = study.ParameterNames{
		Participant: names.text("participant", "PROLIFIC_PID"),
		Study:       names.text("study", "STUDY_ID"),
		Submission:  names.text("submission", "SESSION_ID"),
	}
	r.checkParameters(names, rec.Parameters)
	names.done()
	codes := prolific.mapping("codes")
	rec.Codes = map[study.Outcome]string{}
	for _, outcome := range codes.keys {
		if code := codes.text(outcome, ""); code != "" {
			rec.Codes[study.Outcome(outcome)] = code
		}
	}
	rec.SignedLinks = prolific.flag("signed_links", false)
	prolific.done()
	m.done()
}

// readModels reads what language models may be sent.
func (r *studyReader) readModels(m mapping) {
	for i, kind := range m.texts("send") {
		if !slices.Contains(study.SentKinds, study.Sent(kind)) {
			m.fault(fmt.Sprintf("send[%d]", i), kind, "cannot be sent to models; expected free_responses, demographics or ratings")
		}
		r.study.Sent = append(r.study.Sent, study.Sent(kind))
	}
	m.done()
}

var parameterPattern = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// checkParameters checks that the names of the query parameters differ and are valid.
func (r *studyReader) checkParameters(m mapping, names study.ParameterNames) {
	seen := map[string]bool{}
	for _, p := range []struct{ key, name string }{{"participant", names.Participant}, {"study", names.Study}, {"submission", names.Submission}} {
		switch {
		case !parameterPattern.MatchString(p.name):
			m.fault(p.key, p.name, "is not a name of a query parameter; expected letters, digits and _ - .")
		case seen[p.name]:
			m.fault(p.key, p.name, "is used for two parameters; expected three different names")
		}
		seen[p.name] = true
	}
}

// readBlock reads one entry of the flow, such as “- consent: {file: consent.md}”.
// A block that cannot be read is empty, so that the others keep their number.
func (r *studyReader) readBlock(entry mapping) (block study.Block) {
	if len(entry.keys) != 1 {
		entry.fault("", "", "names %d blocks; expected one of consent, survey, overton, feedback", len(entry.keys))
		return block
	}
	switch key := entry.keys[0]; key {
	case "consent":
		block.Consent = r.readConsent(entry.mapping(key))
	case "survey":
		block.Survey = r.readSurvey(entry.mapping(key))
	case "overton":
		block.Overton = r.readOverton(entry.mapping(key))
	case "feedback":
		entry.mapping(key).done()
		block.Feedback = &study.Feedback{}
	default:
		entry.fault(key, "", "is not a block; expected one of consent, survey, overton, feedback")
	}
	return block
}

func (r *studyReader) readConsent(m mapping) *study.Consent {
	f, ok := r.file(m, "file")
	r.study.sources.Consent = f.name
	m.done()
	if !ok {
		return nil
	}
	text, ok := plainText(f.name, f.data, r.faults)
	if !ok {
		return nil
	}
	return &study.Consent{Markdown: strings.ReplaceAll(string(text), "\r\n", "\n")}
}

func (r *studyReader) readSurvey(m mapping) *study.Survey {
	survey := &study.Survey{
		Instrument: m.text("instrument", ""),
		Topics:     m.number("topics_per_participant", 0),
		Sample:     m.number("items_per_participant", 0),
		Repeat:     m.number("repeat", 0),
	}
	if m.text("items_per_page", "") != "topic" {
		survey.PerPage = m.number("items_per_page", 4)
		if survey.PerPage < 1 {
			m.fault("items_per_page", "", "is %d; expected 1 or more, or topic", survey.PerPage)
		}
	}
	switch order := m.text("order", "as_given"); order {
	case "as_given":
	case "reversed_half":
		survey.ReverseHalf = true
	default:
		m.fault("order", order, "is not an order of options; expected as_given or reversed_half")
	}
	screens := m.mapping("screen_out")
	for _, item := range screens.keys {
		survey.ScreenOut = append(survey.ScreenOut, study.Condition{Instrument: survey.Instrument, Item: item, Values: screens.texts(item)})
	}
	title := m.text("title", "")
	in, ok := instrument.BuiltIn(survey.Instrument)
	if !ok {
		in, ok = r.readInstrument(m)
	}
	m.done()
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
		if survey.ReverseHalf && slices.ContainsFunc(it.Options[:len(it.Options)-item.Fixed], func(o instrument.Option) bool { return o.Refusal }) {
			m.fault("order", "reversed_half", "is not possible: item %s has a refusal before other options; expected refusals last", it.ID)
		}
		for _, c := range it.AskIf {
			item.AskIf = append(item.AskIf, study.Condition{Instrument: cmp.Or(c.Instrument, in.Name), Item: c.Item, Values: c.Codes})
		}
		survey.Items = append(survey.Items, item)
	}
	return survey
}

// readInstrument reads the file that an instrument's name names.
func (r *studyReader) readInstrument(m mapping) (instrument.Instrument, bool) {
	name := m.text("instrument", "")
	if name == "" || !strings.Contains(name, ".") {
		m.fault("instrument", name, "is not an instrument; expected us-demographics, or the name of a file in the study's folder")
		return instrument.Instrument{}, false
	}
	f, ok := r.file(m, "instrument")
	if !ok {
		return instrument.Instrument{}, false
	}
	in, err := ReadInstrument(f.name, f.data)
	switch err := err.(type) {
	case nil:
		return in, true
	case Faults:
		*r.faults = append(*r.faults, err...)
	case Fault:
		*r.faults = append(*r.faults, err)
	default:
		m.fault("instrument", name, "cannot be read: %s", err)
	}
	return instrument.Instrument{}, false
}

func (r *studyReader) readOverton(m mapping) *study.Overton {
	o := &study.Overton{
		QuestionsPerParticipant: m.number("questions_per_participant", 3),
		ParticipantsPerQuestion: m.number("participants_per_question", 60),
		VotesPerQuestion:        m.number("votes_per_question", 15),
		Moderation:              study.Moderation(m.text("moderation", string(study.ModerationAfter))),
		Stance:                  m.flag("stance", true),
		Importance:              m.flag("importance", true),
		MinWords:                m.number("min_words", 1),
	}
	if m.text("responses_per_question", "all") != "all" {
		o.ResponsesPerQuestion = m.number("responses_per_question", 0)
		if o.ResponsesPerQuestion == 0 {
			m.fault("responses_per_question", "", "is 0; expected all, or 1 or more")
		}
	}
	questions, okQuestions := r.file(m, "questions")
	responses, okResponses := file{}, true // none: only viewpoints are collected
	if m.text("responses", "") != "none" {
		responses, okResponses = r.file(m, "responses")
	}
	seeds, okSeeds := file{}, true
	if m.text("seeds", "") != "" {
		seeds, okSeeds = r.file(m, "seeds")
	}
	m.done()
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
			m.fault("responses_per_question", "", "is %d, but question %q has %d responses; expected all, or %d or fewer", o.ResponsesPerQuestion, q.ID, n, n)
		}
	}
	return o
}

// file is one file as it was given: its name for messages, and its bytes.
func (r *studyReader) file(m mapping, key string) (file, bool) {
	name := m.text(key, "")
	if name == "" {
		m.fault(key, "", "is missing; expected the name of a file in the study's folder")
		return file{}, false
	}
	if !fs.ValidPath(name) || name == "." {
		m.fault(key, name, "is outside the study's folder; expected the name of a file in it")
		return file{}, false
	}
	data, ok := r.open(name, func(message string) { m.fault(key, name, "%s", message) })
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
