package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"overton/internal/score"
	"overton/internal/study"
)

// Strategy says what a judge is told about the participant whose rating it
// predicts (OvertonBench, section on automatic evaluation).
type Strategy string

const (
	FreeResponse             Strategy = "fr"       // the participant's own view of the question
	Demographics             Strategy = "demog"    // who they are
	DemographicsFreeResponse Strategy = "demog+fr" // both
	FewShot                  Strategy = "fs"       // their ratings of the other responses to the question
	FewShotFreeResponse      Strategy = "fs+fr"    // those, and their own view
)

// Strategies are all strategies.
var Strategies = []Strategy{FreeResponse, Demographics, DemographicsFreeResponse, FewShot, FewShotFreeResponse}

// Sends says which of the participants' data requests contain.
func (s Strategy) Sends() (kinds []study.Sent) {
	if strings.Contains(string(s), "fr") {
		kinds = append(kinds, study.SendFreeResponses)
	}
	if strings.Contains(string(s), "demog") {
		kinds = append(kinds, study.SendDemographics)
	}
	if strings.Contains(string(s), "fs") {
		kinds = append(kinds, study.SendRatings)
	}
	return kinds
}

// Judging asks a model to predict how participants rate responses: each existing rating, without showing it,
// and ratings of responses that nobody rated.
type Judging struct {
	// Ratings are people's. The attribute FreeResponses names their own view,
	// Demographics what is told about who they are.
	Ratings       score.Ratings
	FreeResponses string
	Demographics  []string

	Questions map[string]string    // text by question
	Responses map[[2]string]string // text by question and model

	// New are models of Responses that nobody rated. Every participant of a question is assumed to have read
	// their response to it.
	New []string

	Judge       string // model that judges, by its name
	Strategy    Strategy
	Samples     int     // of each prediction, to be averaged
	Share       float64 // of the ratings, drawn by Seed, that are predicted; 1: all
	Temperature *float64
	MaxTokens   int
	Seed        int
	Lenient     bool // take the first digit from 1 to 5 if an answer is not just a rating

	// Expected takes the mean of the ratings by the log-probabilities of their
	// digits, where the endpoint reports some, instead of the one that was drawn.
	Expected bool
}

// judgePrompt is the template of a Judging.
const judgePrompt = "judge"

// JudgePrompts are the prompts that a Judging uses, for Settings.
func JudgePrompts(p *Prompts) map[string]string {
	return map[string]string{judgePrompt: p.SHA256[judgePrompt]}
}

// Prediction is the judge's rating instead of a participant's.
type Prediction struct {
	Row   int // of Judging.Ratings; -1: the response is a new model's
	Value float64
	score.Rating

	Samples    int // answers received
	Unreadable int // of these

	// Method is ByLogProbs if log-probabilities were wanted and all answers that could be read had some, and
	// otherwise BySamples.
	Method string
}

// prediction is one rating to predict.
type prediction struct {
	row      int // of Ratings, or -1
	seat     int // any row of the same participant and question
	model    string
	response string
}

// attribute is the place of an attribute, -1 for none.
func (j *Judging) attribute(name string) int { return slices.Index(j.Ratings.Attributes, name) }

// Check says what prevents the strategy from being used.
func (j *Judging) Check() error {
	for _, kind := range j.Strategy.Sends() {
		switch {
		case kind == study.SendFreeResponses && j.attribute(j.FreeResponses) < 0:
			return fmt.Errorf("the strategy %s needs the participants' free responses; the ratings have no column %q", j.Strategy, j.FreeResponses)
		case kind == study.SendDemographics && len(j.Demographics) == 0:
			return fmt.Errorf("the strategy %s needs demographics; expected the names of some columns of the ratings", j.Strategy)
		}
	}
	for _, name := range j.Demographics {
		if j.attribute(name) < 0 {
			return fmt.Errorf("the ratings have no column %q to tell the judge about", name)
		}
	}
	if !slices.Contains(Strategies, j.Strategy) {
		return fmt.Errorf("there is no strategy %q; expected one of %v", j.Strategy, Strategies)
	}
	for _, r := range j.Ratings.Rows {
		if j.Questions[r.Question] == "" {
			return fmt.Errorf("question %s has no text; expected a column question in the ratings, or a file of questions", r.Question)
		}
		if j.Responses[[2]string{r.Question, r.Model}] == "" {
			return fmt.Errorf("the response of %s to question %s has no text; expected a column llm_response in "+
				"the ratings, or a file of responses", r.Model, r.Question)
		}
	}
	return nil
}

// predictions lists what is to be predicted, in the order of the rows, and then the predictions for the new
// models.
func (j *Judging) predictions() iter.Seq[prediction] {
	return func(yield func(prediction) bool) {
		rng := rand.New(rand.NewPCG(uint64(j.Seed), 0))
		for i, r := range j.Ratings.Rows {
			if rng.Float64() >= j.Share || math.IsNaN(r.Value) {
				continue
			}
			if !yield(prediction{i, i, r.Model, j.Responses[[2]string{r.Question, r.Model}]}) {
				return
			}
		}
		if len(j.New) == 0 {
			return
		}
		for _, rows := range j.seats() {
			for _, model := range j.New {
				response := j.Responses[[2]string{j.Ratings.Rows[rows[0]].Question, model}]
				if response != "" && !yield(prediction{-1, rows[0], model, response}) {
					return
				}
			}
		}
	}
}

// seats lists the rows of each participant and question, in the order of their
// first.
func (j *Judging) seats() [][]int {
	at := map[[2]string]int{}
	var seats [][]int
	for i, r := range j.Ratings.Rows {
		key := [2]string{r.Participant, r.Question}
		s, ok := at[key]
		if !ok {
			s = len(seats)
			at[key] = s
			seats = append(seats, nil)
		}
		seats[s] = append(seats[s], i)
	}
	return seats
}

// sampleID names a sample of a prediction. It stays in the run folder.
func (j *Judging) sampleID(p prediction, sample int) string {
	r := j.Ratings.Rows[p.seat]
	return fmt.Sprintf("%s/%s/%s/%d", url.PathEscape(r.Participant), url.PathEscape(r.Question), url.PathEscape(p.model), sample+1)
}

// judgeFact is something told about a participant; Value is a JSON string.
type judgeFact struct{ Name, Value string }

// judgeExample is a rating by the same participant; Response is a JSON string.
type judgeExample struct {
	Rating   string
	Response string
}

// judgeData is what the template gets. Texts are JSON strings with their quotes.
type judgeData struct {
	Question     string
	Demographics []judgeFact
	FreeResponse string
	Ratings      []judgeExample
	Response     string
}

// Requests are those of the judging; they can be iterated repeatedly. There is none for a prediction about
// which the strategy has nothing to tell, such as the view of someone who wrote none. err, to be read after
// iterating, is a problem with a prompt.
func (j *Judging) Requests(p *Prompts) (requests iter.Seq[Request], err func() error) {
	var failure error
	told := telling{Judging: j, seats: map[[2]string][]int{}, views: map[string]string{}}
	for _, seat := range j.seats() {
		r := j.Ratings.Rows[seat[0]]
		told.seats[[2]string{r.Participant, r.Question}] = seat
	}
	return func(yield func(Request) bool) {
		for pr := range j.predictions() {
			data, ok := told.data(pr)
			if !ok {
				continue
			}
			system, err := p.Text(judgePrompt, "system", data)
			user := ""
			if err == nil {
				user, err = p.Text(judgePrompt, "", data)
			}
			if err != nil {
				failure = err
				return
			}
			for sample := range j.Samples {
				request := Request{ID: j.sampleID(pr, sample), Model: j.Judge, Messages: conversation(system, user, "")}
				request.Temperature, request.MaxTokens, request.Seed = j.Temperature, j.MaxTokens, new(j.Seed+sample)
				if j.Expected {
					request.LogProbs = mostLogProbs
				}
				if !yield(request) {
					return
				}
			}
		}
	}, func() error { return failure }
}

// telling is a Judging being turned into prompts.
type telling struct {
	*Judging
	seats map[[2]string][]int // rows by participant and question
	views map[string]string   // free responses as they are sent, by the original: checking one takes time
}

// data is what a judge is told; ok is false if the strategy's part is empty.
func (j telling) data(p prediction) (data judgeData, ok bool) {
	r := j.Ratings.Rows[p.seat]
	data = judgeData{Question: quoted(j.Questions[r.Question]), Response: quoted(p.response)}
	for _, kind := range j.Strategy.Sends() {
		told := false
		switch kind {
		case study.SendFreeResponses:
			if text := strings.TrimSpace(r.Attributes[j.attribute(j.FreeResponses)]); text != "" {
				if _, seen := j.views[text]; !seen {
					j.views[text] = quoted(anonymous(text))
				}
				data.FreeResponse, told = j.views[text], true
			}
		case study.SendDemographics:
			for _, name := range j.Demographics {
				if value := r.Attributes[j.attribute(name)]; value != "" && value != expiredData {
					data.Demographics, told = append(data.Demographics, judgeFact{name, quoted(value)}), true
				}
			}
		case study.SendRatings:
			for _, i := range j.seats[[2]string{r.Participant, r.Question}] {
				other := j.Ratings.Rows[i]
				if i == p.row || other.Model == p.model || math.IsNaN(other.Value) {
					continue
				}
				data.Ratings, told = append(data.Ratings,
					judgeExample{fmt.Sprintf("%g", other.Value), quoted(j.Responses[[2]string{other.Question, other.Model}])}), true
			}
		}
		if !told {
			return data, false
		}
	}
	return data, true
}

// expiredData is what Prolific exports instead of an answer that it no longer has.
const expiredData = "DATA_EXPIRED"

// quoted is a text as a JSON string. Quotes, line breaks and control characters
// in it are escaped, so that it cannot look like a part of the prompt.
func quoted(text string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string always has a JSON form
	return strings.TrimSuffix(b.String(), "\n")
}

// anonymous removes from a free text what may identify its author: email addresses, telephone numbers, ids
// and the like.
func anonymous(text string) string {
	var b strings.Builder
	at := 0
	for _, h := range study.Hints(text) {
		if h.Kind == study.HintEmpty {
			continue
		}
		b.WriteString(text[at:h.From] + "[" + string(h.Kind) + "]")
		at = h.To
	}
	return b.String() + text[at:]
}

// Predictions reads the judge's ratings from a run's folder, in the order in which they were asked. A
// prediction is NaN if no answer to it could be read.
func (j *Judging) Predictions(run *Run) ([]Prediction, error) {
	var all []Prediction
	for p := range j.predictions() {
		r := j.Ratings.Rows[p.seat]
		out := Prediction{Row: p.row, Rating: score.Rating{Participant: r.Participant, Question: r.Question,
			Model: p.model, Group: r.Group, Attributes: r.Attributes}}
		sum, byLogProbs := 0.0, 0
		for sample := range j.Samples {
			a, ok, err := run.Answer(j.sampleID(p, sample))
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			out.Samples++
			rating, readable := ReadRating(a.Text, j.Lenient)
			if !readable {
				out.Unreadable++
				continue
			}
			if mean, ok := expectedRating(a.LogProbs); ok && j.Expected {
				sum += mean
				byLogProbs++
			} else {
				sum += float64(rating)
			}
		}
		if out.Method = BySamples; byLogProbs > 0 && byLogProbs == out.Samples-out.Unreadable {
			out.Method = ByLogProbs
		}
		out.Value = sum / float64(out.Samples-out.Unreadable)
		if out.Samples == out.Unreadable {
			out.Value = math.NaN()
		}
		out.Rating.Value = out.Value
		all = append(all, out)
	}
	return all, nil
}

// mostLogProbs is how many log-probabilities are requested, or as many as the models file says there are.
const mostLogProbs = 20

// expectedRating is the mean of the ratings 1 to 5, weighted by the probabilities of the first token that is
// one of them, as far as they are reported.
func expectedRating(tokens []Token) (mean float64, ok bool) {
	for _, t := range tokens {
		if _, is := digitOf(t.Text); !is {
			continue
		}
		sum, all := 0.0, 0.0
		for _, top := range t.Top {
			if rating, is := digitOf(top.Text); is {
				sum += float64(rating) * math.Exp(top.LogProb)
				all += math.Exp(top.LogProb)
			}
		}
		return sum / all, all > 0
	}
	return 0, false
}

// digitOf reads a token that is a rating, ignoring spaces.
func digitOf(token string) (rating int, ok bool) {
	token = strings.TrimSpace(token)
	if len(token) != 1 || token < "1" || token > "5" {
		return 0, false
	}
	return int(token[0] - '0'), true
}

var (
	// A digit, maybe with a word before it, "of 5" behind it, or marks around it.
	ratingAlone = regexp.MustCompile(`(?i)^[\s"'“”*_` + "`" +
		`(\[]*(?:(?:the )?(?:rating|answer|score)(?: is)?\s*[:=]?\s*)?[*_"']*([1-5])(?:\.0+)?(?:\s*/\s*5|\s+(?:out )?of 5)?[\s"'“”*_` + "`" + `)\].]*$`)
	firstRating = regexp.MustCompile(`[1-5]`)
)

// ReadRating reads a judge's answer: a rating from 1 to 5 and nothing else or, if lenient, the first digit
// from 1 to 5 in it. What a model writes as thought before its answer, up to </think>, does not count.
func ReadRating(text string, lenient bool) (rating int, ok bool) {
	text = afterThought(text)
	digit := ""
	if m := ratingAlone.FindStringSubmatch(text); m != nil {
		digit = m[1]
	} else if lenient {
		digit = firstRating.FindString(text)
	}
	if digit == "" {
		return 0, false
	}
	return int(digit[0] - '0'), true
}
