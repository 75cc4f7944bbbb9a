// Search in Korean: compounds are written with and without spaces, a word has its particles, and a term
// has a Korean name, an English one, and the English one in Hangul. So what is asked is compared with
// the names of the book, its headings and the entries of its glossary, by pairs of letters without
// spaces, and with the texts of its pages by the pairs under which these are indexed (korean_search.py).
function splitQuery(query) {
  return query.match(/[가-힣]+|[^\P{Letter}가-힣]+|[\p{Number}_]+/gu) ?? [];
}

(() => {
  // What this book says for what readers type. Names of one term are in the glossary; these are parts of
  // many names, and slips.
  const OTHER_WORDS = {
    가중치: "웨이트 weight",
    교차: "크로스",
    귀납: "인덕션",
    규제: "레귤러라이제이션 정규화기법",
    그래디언트: "그라디언트 그레디언트",
    그림: "시각화",
    매개변수: "파라미터 파라메터",
    멀티: "다중",
    문맥: "컨텍스트 콘텍스트",
    미세조정: "파인튜닝",
    벌점: "페널티 패널티",
    비용: "복잡도 연산량 계산량",
    사전학습: "프리트레이닝 프리트레인",
    사전정규화: "프리놈 프리노름",
    사후정규화: "포스트놈 포스트노름",
    상대: "렐러티브",
    소프트맥스: "소프트멕스",
    선행사: "상호참조 대명사해소",
    손실: "로스",
    스케일링: "루트 제곱근",
    역전파: "백프로파게이션 백프롭",
    위치: "포지셔널 포지션",
    은닉: "히든",
    임베딩: "임배딩",
    잔차: "리지듀얼 레지듀얼 레지두얼 residual",
    점수: "스코어",
    정규화: "노멀라이제이션 노말라이제이션 노름 놈",
    정렬: "얼라인먼트",
    중첩: "슈퍼포지션",
    지역: "로컬",
    초깃값: "초기화 초기값",
    층: "레이어",
    캐시: "캐싱",
    크기: "사이즈",
    마스크: "마스크드 마스킹",
    언어: "랭귀지",
    희소: "스파스",
    위치인코딩: "위치임베딩",
    밸류: "벨류",
    스트라이드: "스트라이디드",
    탐욕: "그리디",
    트랜스포머: "트렌스포머 트랜스퍼머",
    특징: "피처 피쳐",
    프로브: "프로빙",
    학습률: "러닝레이트",
    활성화: "액티베이션",
    회로: "서킷",
    회전: "로터리 로타리",
    회전위치인코딩: "회전임베딩 로터리임베딩",
    BLEU: "블루",
    // Pages by what a reader looks for.
    교사를위한안내: "강의계획 강의자료 수업계획",
    용어집: "용어사전",
    이책을쓰는법: "설치 인스톨 사용법",
    정오표: "논문오류 논문의오류",
    클리닉: "디버깅 디버그 학습이안 손실이안",
  };
  const ASKS = new RegExp(
    "^(왜|뭐|뭐야|뭐예요|뭔지|뭔가요?|무엇|무엇인가|어떻게|하는|되는|쓰는|법|방법|뜻|의미|이유|설명|정의|" +
      "개념|원리|공부|구현|코드|실험|효과|역할|종류|계산|계산법|차이|비교|논문|조절|예제|정리|방식|구조|시각화)$",
  );
  const PARTICLES =
    "이라는|라는|이란|란|하려면|하기|하는|할까|하나요|하나|나요|한가요?|에서|에게|으로|부터|까지|처럼|보다|이나|이랑|" +
    "은|는|이|가|을|를|의|에|로|와|과|랑|도|만|씩|별";
  const VERB = /(는|한가요?|나요|는지|을까|려면|기)$/; // but for what is a term: 기울기, 키는
  const PARTICLE = new RegExp(`^(${PARTICLES})$`);
  const ENDING = new RegExp(`(?<=.)(${PARTICLES})$`);
  // How much a result is worth at most, by what is found; and what more, for what else its page has.
  const WORTH = { entry: 100, title: 95, heading: 85, exercise: 70, part: 60, text: 15 };
  const ALSO = { heads: 15, says: 5 };
  const BETWEEN = 0.2; // of a pair within a word
  const LEFT_OUT = 0.4; // of the best result's worth

  const first = (word) => `^${word[0]}`;
  const pairs = (text) =>
    Array.from({ length: Math.max(text.length - 1, 0) }, (_, at) => text.slice(at, at + 2));
  // A word of one syllable is looked for where a word begins.
  const keys = (word) => (word.length > 1 ? pairs(word) : [first(word)]);
  const sum = (numbers) => [...numbers].reduce((all, number) => all + number, 0);
  const rarity = (all, having = 0) => Math.log(1 + all / Math.max(having, 0.5));

  // The longest first: one word may begin or end as another.
  const others = Object.entries(OTHER_WORDS)
    .flatMap(([ours, theirs]) => theirs.split(" ").map((word) => [word, ours.toLowerCase()]))
    .sort(([one], [other]) => other.length - one.length)
    .map(([word, ours]) => [new RegExp([...word].join(" ?"), "g"), ours]);

  // The ways to read a question, each as its words: as it is typed, without particles and what only
  // asks, and both in the words of this book.
  function readings(words, isTerm) {
    const isVerb = (word) => VERB.test(word) && !isTerm(word.replace(ENDING, ""));
    const bare = words
      .filter((word) => !ASKS.test(word) && !PARTICLE.test(word) && !isVerb(word))
      .map((word) => word.replace(ENDING, ""));
    const ours = (reading) =>
      splitQuery(others.reduce((text, pair) => text.replace(...pair), reading.join(" ")));
    return [words, bare, ours(words), ours(bare)].filter((reading) => reading.length);
  }

  // What the book has names for. Of each its letters, by which keys it is found, where it leads, and what
  // it is worth.
  function namesOf({ docnames, filenames, titles, alltitles, indexentries }) {
    const name = (text, worth, file, title, id) => {
      const words = splitQuery(text.toLowerCase());
      const letters = words.join("");
      const leads = [docnames[file], title, id ? `#${id}` : "", null, 0, filenames[file]];
      const keys = new Set([...pairs(letters), ...words.map(first)]);
      return { letters, pairs: pairs(letters), keys, worth, file, leads };
    };
    const entries = Object.entries(indexentries).flatMap(([entry, places]) =>
      places.map(([file, id]) => name(entry, WORTH.entry, file, titles[file], id)),
    );
    const headings = Object.entries(alltitles).flatMap(([title, places]) =>
      places.map(([file, id]) => {
        if (id === null) return name(title, WORTH.title, file, title, id);
        const [, kind = "", text] = title.match(/^(연습문제 \w+\.\d+(?:: |의 )|\d+\. )?(.*)/);
        const inChapter = kind.startsWith("연습문제") ? WORTH.exercise : WORTH.heading;
        const worth = docnames[file].startsWith("chapters/") ? inChapter : WORTH.part;
        return name(text, worth, file, `${titles[file]} > ${title}`, id);
      }),
    );
    return [...entries, ...headings].filter(({ letters }) => letters);
  }

  // What the search knows of the names: how rare a key is among them, which keys a page's headings have,
  // and whether a word has keys of a term.
  function read(index) {
    const names = namesOf(index);
    const having = new Map();
    const ofPage = index.docnames.map(() => new Set());
    const ofTerms = new Set();
    for (const { keys: found, worth, file } of names)
      for (const key of found) {
        having.set(key, (having.get(key) ?? 0) + 1);
        (worth === WORTH.entry ? ofTerms : ofPage[file]).add(key);
      }
    const weight = (key) => rarity(names.length, having.get(key));
    return { names, ofPage, weight, isTerm: (word) => keys(word).some((key) => ofTerms.has(key)) };
  }

  // What each key of a reading weighs: the rarer, the more. Long words weigh little more than short ones,
  // and what two words have between them little, since a name may have the words apart.
  function weighed(words, weight) {
    const found = new Map(pairs(words.join("")).map((pair) => [pair, BETWEEN * weight(pair)]));
    for (const word of words)
      for (const key of keys(word))
        found.set(key, Math.max(found.get(key) ?? 0, weight(key) / keys(word).length));
    return found;
  }

  let known;
  Search.performTermsSearch = (words) => {
    const { docnames, filenames, titles, terms } = Search._index;
    known ??= read(Search._index);
    const { names, ofPage, weight, isTerm } = known;
    const pagesWith = (word) => [terms[word] ?? []].flat();
    const rare = (word) => rarity(docnames.length, pagesWith(word).length);

    // The best of what a page, or an entry, has to offer.
    const best = new Map();
    const offer = (key, score, leads) => {
      if (!(best.get(key)?.[4] >= score)) best.set(key, [...leads.slice(0, 4), score, leads[5]]);
    };
    for (const reading of readings([...words], isTerm)) {
      const letters = reading.join("");
      const asked = weighed(reading, weight);
      const covered = (found) =>
        sum([...asked].map(([key, worth]) => (found.has(key) ? worth : 0))) / sum(asked.values());

      // How much of it the text of each page has, from 0 to 1.
      const isInPairs = (word) => word.length > 1 && /[가-힣]/.test(word);
      const indexed = new Set(reading.flatMap((word) => (isInPairs(word) ? pairs(word) : [word])));
      const all = sum([...indexed].map(rare));
      const says = docnames.map(() => 0);
      for (const word of indexed) for (const page of pagesWith(word)) says[page] += rare(word) / all;

      docnames.forEach((page, file) =>
        offer(file, WORTH.text * says[file] ** 2, [page, titles[file], "", null, 0, filenames[file]]),
      );
      const heads = ofPage.map(covered);
      for (const name of names) {
        const part = covered(name.keys);
        if (!part) continue;
        const shared = name.pairs.filter((pair) => asked.has(pair));
        const fits = sum(shared.map(weight)) / (sum(name.pairs.map(weight)) || 1);
        const like = letters === name.letters ? 1 : 0.9 * part * (0.5 + 0.5 * fits);
        const also = ALSO.heads * heads[name.file] ** 2 + ALSO.says * says[name.file];
        const key = name.worth === WORTH.entry ? name.leads[2] : name.file;
        offer(key, name.worth * like + also, name.leads);
      }
    }
    const results = [...best.values()];
    const least = LEFT_OUT * Math.max(...results.map((result) => result[4]));
    return results.filter((result) => result[4] > 1 && result[4] >= least);
  };
})();
