package score

import (
	"math"
	"testing"
)

func TestPeopleAreScoredOneByOneAndWeighted(t *testing.T) {
	t.Parallel()
	s := &OpinionSurvey{Topics: []OpinionTopic{{Name: womensRights, Polar: true}}, Items: []OpinionItem{sided("1", 0), sided("2", 0)}}
	run := func(first, second []int) *OpinionRun {
		return &OpinionRun{Repetitions: []int{1, 2}, Answers: [][]int{first, second}}
	}
	runs := []*OpinionRun{
		run([]int{0, 0}, []int{0, NotAsked}),        // twice -1, and again
		run([]int{4, 2}, []int{2, NotAsked}),        // 1 and 0; 1 became 0
		run([]int{5, NotAsked}, []int{5, NotAsked}), // refuses
	}
	p := s.ScorePeople(runs, []float64{1, 3, 0}, 50, 1)
	// The second person's item 1 has the mean 0.5 over both answers.
	if want := (1 + 3*0.25) / 4; math.Abs(float64(p.NNI.Value)-want) > 1e-12 {
		t.Errorf("NNI %v, want %v", p.NNI.Value, want)
	}
	if want := (1 + 3*0.5) / 4; math.Abs(float64(p.Reliability.Value)-want) > 1e-12 || p.Reliability.N != 3 {
		t.Errorf("reliability %+v, want %v", p.Reliability, want)
	}
	if want := (-1 + 3*(1.0/3)) / 4; math.Abs(float64(p.Progressivism.Value)-want) > 1e-12 {
		t.Errorf("progressivism %v, want %v", p.Progressivism.Value, want)
	}
	if p.TCI.N != 2 || !p.NNI.CI.Defined() || len(p.Places) != 3 {
		t.Errorf("%+v", p)
	}
	if one := s.ScorePeople(runs[:1], nil, 50, 1); one.NNI.Value != 1 || one.NNI.CI.Defined() {
		t.Errorf("one person alone: %+v", one.NNI)
	}
}

func TestSharesLeaveOutThoseWithoutAValue(t *testing.T) {
	t.Parallel()
	shares := Shares([]int{0, 1, 1, -1}, 2, []float64{2, 1, 1, 9})
	if shares[0].Value != 0.5 || shares[1].Value != 0.5 || shares[0].N != 3 {
		t.Errorf("%+v", shares)
	}
	// Wilson's interval of 0 of 10 is 0 to z²/(10+z²).
	if none := Shares(make([]int, 10), 2, nil)[1]; none.Value != 0 || none.CI.Low != 0 || math.Abs(float64(none.CI.High)-0.277533) > 1e-6 {
		t.Errorf("a share of nothing: %+v", none)
	}
	if empty := Shares([]int{-1}, 2, nil)[0]; empty.Value.Defined() || empty.CI.Defined() {
		t.Errorf("without anybody: %+v", empty)
	}
}

func TestMeanDifferenceTellsAPlantedOne(t *testing.T) {
	t.Parallel()
	var a, b Weighted
	for i := range 100 {
		a.Add(float64(i%5)+1, 1)
		b.Add(float64(i%5), 1)
	}
	if d := MeanDifference(a, b, 200, 1); math.Abs(float64(d.Value)-1) > 1e-12 || d.CI.Low <= 0 || d.CI.High >= 2 || d.N != 200 {
		t.Errorf("%+v", d)
	}
}
