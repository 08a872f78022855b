import { beforeAll, describe, it } from "vitest";
import { as, mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

// Names of thirteen languages with what people type. The names are six of each list of Faker 40.40.0 (MIT,
// github.com/joke2k/faker, `last_names` and `first_names` of faker/providers/person/xx_YY): of n names, those at 0, n/6, 2n/6
// and so on. Vietnamese first names are of `first_names_male`, Polish last names of `unisex_last_names`, and kana names of
// `last_kana_names` and `first_kana_names`.

/** Each line: last name, first name, then queries; with `|` between them. */
const NAMES: Record<string, string> = {
  ja_JP: `
    佐藤|晃|佐藤晃|佐藤 晃|藤晃
    小林|淳|小林淳|小林|林淳
    木村|英樹|木村英樹|英樹|木村 英樹
    山下|陽一|山下陽一|陽一 山下|下陽一
    長谷川|くみ子|長谷川くみ子|谷川|くみ子
    藤井|真綾|藤井真綾|真綾|井真
    サトウ|アキラ|ｻﾄｳｱｷﾗ|サトウ|アキラ
    コバヤシ|ジュン|ｺﾊﾞﾔｼ|ジュン|ｼﾞｭﾝ`,
  zh_CN: `
    王|伟|王伟|王 伟
    夏|凯|夏凯|夏 凯
    俞|兵|俞兵|俞 兵
    麦|霞|麦霞|麦 霞
    胥|慧|胥慧|胥 慧
    浦|琳|浦琳|浦 琳`,
  ko_KR: `
    김|건우|김건우|건우|김 건우
    윤|성호|윤성호|성호|${"윤성호".normalize("NFD")}
    권|정웅|권정웅|정웅|권정
    문|명자|문명자|명자 문|명자
    남|영미|남영미|영미|남 영미
    주|정순|주정순|정순|${"정순".normalize("NFD")}`,
  th_TH: `
    กุมารบุญ|กรพนธ์|กุมาร|กรพนธ์|บุญ
    ดุษฎีวนิช|นพ|ดุษฎี|วนิช|นพ ดุษฎีวนิช
    ถมังรักษสัตว์|วรรณชนะชัย|รักษสัตว์|วรรณ|ชนะชัย
    ธรรมเมธา|กนกเนตร|เมธา|กนกเนตร|เนตร
    นิระหานี|นวรรษนันท์|นิระหานี|นวรรษนันท์ นิระหานี|นันท์
    ภูภักดี|รมิตา|ภักดี|รมิตา|รมิตา ภูภักดี`,
  hi_IN: `
    शर्मा|अभय|शर्मा|अभय शर्मा|शर्म
    खत्री|इन्द्र|खत्री|इन्द्र|इन्द्र खत्री
    दास|प्रमोद|प्रमोद|दास|प्रमोद दास
    कलिता|सुन्दर|कलिता|सुन्दर|कलिता सुन्दर
    सुब्रमण्यम|गौहर|सुब्रमण्यम|गौहर|सुब्र
    जोशी|पूर्णिमा|जोशी|पूर्णिमा|जोशी पूर्णिमा`,
  ta_IN: `
    அகண்டலன்|அகண்டலன்|அகண்டலன்|அகண்டல|அகண்
    ஒட்டக்கூத்தர்|ஒட்டக்கூத்தர்|ஒட்டக்கூத்தர்|ஒட்டக்|ஒட்ட
    மணிக்கோ|மணிக்கோ|மணிக்கோ|மணிக்|${"மணிக்கோ".normalize("NFD")}
    ஆடற்செல்வி|ஆடற்செல்வி|ஆடற்செல்வி|ஆடற்|ஆடற்செல்
    கனிமொழி|கனிமொழி|கனிமொழி|கனிமொ|${"கனிமொழி".normalize("NFD")}
    யோகமலர்|யோகமலர்|யோகமலர்|யோக|${"யோகமலர்".normalize("NFD")}`,
  ar_AA: `
    أشجع|أحمد|اشجع احمد|أحمد أشجع|احمد
    الدسوقي|زاهر|الدسوقى|زاهر|زاهر الدسوقي
    الماني|عائد|المانى|عائد|الماني عائد
    بنو شعبة|قاسم|شعبه|قاسم|قاســـم
    حميضة|مُناضل|مناضل|حميضه|مُناضِل
    عسير|باهرة|باهره|عسير|باهرة عسير`,
  fa_IR: `
    محمدی|فاطمه|محمدي|فاطمه|فاطمة
    بهرامی|مهدیس|بهرامي|مهديس|بهرامی
    شاکری|رها|شاكري|رها|رها شاکری
    رستمی|امیر علی|امير علي|رستمي|علی رستمی
    سغیری|یوسف|يوسف|سغيري|یوسف سغیری
    ضرغامی|اميرعباس|امیرعباس|ضرغامي|امیر‌عباس`,
  he_IL: `
    אבו אל היג'א|אביאל|היג׳א|היגא|אביאל
    ביטון|גל|ביטון|בִּיטוֹן|גל ביטון
    דרורי|מוסא|דרורי|מוסא|מוּסָא
    יפה|שיר|יפה שיר|שיר יפה|יָפֶה
    סאלח|דינה|סאלח|דינה|דִּינָה
    צדוק|נאיה|צדוק|נאיה|צָדוֹק`,
  tr_TR: `
    Yılmaz|Abdiş|yilmaz|YILMAZ|abdis
    Aksu|Erdemer|aksu|ERDEMER|erdemer aksu
    Hayrioğlu|Okbay|hayrioglu|HAYRİOĞLU|okbay
    Güçlü|Zamir|guclu|GÜÇLÜ|zamır
    Şener|Egenur|sener|ŞENER|egenur sener
    Çetin|Nura|cetin|ÇETİN|çetın`,
  vi_VN: `
    Nguyễn|Nam|nguyen nam|NGUYỄN|${"Nguyễn".normalize("NFD")}
    Trần|Tú|tran|tu tran|${"Trần Tú".normalize("NFD")}
    Phạm|Trung|pham trung|PHẠM|${"Phạm".normalize("NFD")}
    Đặng|Dũng|dang dung|ĐẶNG|dũng dang
    Bùi|Huy|bui huy|BÙI|huy bui
    Mai|Minh|mai minh|MINH|minh mai`,
  pl_PL: `
    Wandzel|Jakub|wandzel|JAKUB|jakub wandzel
    Popielarczyk|Oskar|popielarczyk|oskar|popiel
    Mendyka|Ksawery|mendyka|ksawery|KSAWERY
    Żelazo|Radosław|zelazo radoslaw|RADOSŁAW|radosław zelazo
    Domino|Blanka|domino|blanka|BLANKA
    Myrcik|Sonia|myrcik|sonia|sonia myrcik`,
  de_DE: `
    Ackermann|Abbas|ackermann|abbas|ABBAS
    Eigenwillig|Gotthold|eigenwillig|gotthold|eigen
    Hettner|Massimo|hettner|massimo|massimo hettner
    Kruschwitz|Adelgunde|kruschwitz|adelgunde|KRUSCHWITZ
    Rädel|Gaby|radel|RÄDEL|gaby rädel
    Speer|Margarita|speer|margarita|margarita speer`,
};

/** More names of these languages and others, for the letters that the lists have none of. */
const LETTERS = `
  Weiß|Änne|weiss|WEISS|anne
  Łukasiewicz|Bożena|lukasiewicz|bozena
  Ærø|Þór|aero|thor
  Yıldız|Işık|yildiz|isik
  Məmmədov|Əli|memmedov|eli
  Đorđević|Ħal|dordevic|hal
  O’Brien|Anne‐Marie|obrien|brien|o'brien|annemarie|anne-marie|marie
  Smith-O'Brien|Zoë|obrien|smithobrien|smith-obrien|smith o'brien
  Ｓａｔｏ|Ｋｅｎ|sato ken
  ﬁscher|Oﬃce|fischer|office
  ماسک|علی|ماسك|علي`;

/** Names and queries that do not find them: variants of a letter, other spellings of a sound, and other words. */
const NOT_FOUND = `
  髙橋|一|高橋
  渡邊|二|渡辺
  陳|三|陈三
  फ़ारूक़|ज़ैनब|फारूक|जैनब
  हिंदी|अंजलि|हिन्दी|अञ्जलि
  Müller|Jörg|mueller|joerg
  Đoković|Novak|djokovic
  パンダ|バス|ハンダ|ハス
  ไม้|ป่า|ไม่ ปา
  김|가나다|나가다`;

const api = as("typist");

interface Person {
  id: unknown;
  name: string;
  queries: string[];
}

const peopleIn = (lines: string) =>
  lines
    .trim()
    .split("\n")
    .map((line) => {
      const [last_name = "", first_name = "", ...queries] = line.trim().split("|");
      const customer = seed.customer({ first_name, last_name });
      return { customer, id: customer.id, name: `${last_name} ${first_name}`, queries };
    });
const people = Object.entries({ ...NAMES, "more letters": LETTERS }).map(([language, lines]) => ({
  language,
  people: peopleIn(lines),
}));
const hidden = peopleIn(NOT_FOUND);

const find = async (query: string) =>
  (await api.post("/api/v1/customer/full-search", { query, filter: "customers", typos: false })).body.customers ?? [];

/** The queries that do not find the person. */
async function missed({ id, name, queries }: Person): Promise<string[]> {
  const misses: string[] = [];
  for (const query of queries)
    if (!(await find(query)).some((item: { id: unknown }) => item.id === id)) misses.push(`${name} by ${query}`);
  return misses;
}

beforeAll(() => mustFeed([...people.flatMap((one) => one.people), ...hidden].map(({ customer }) => customer)));

describe("a search for a name", () => {
  it.for(people)("finds it by what people type: $language", async ({ people }, { expect }) => {
    const misses = (await Promise.all(people.map(missed))).flat();

    expect(misses).toEqual([]);
  });

  it("does not find it by these variants of letters and other words", async ({ expect }) => {
    const misses = (await Promise.all(hidden.map(missed))).flat();

    expect(misses).toEqual(hidden.flatMap(({ name, queries }) => queries.map((query) => `${name} by ${query}`)));
  });
});
