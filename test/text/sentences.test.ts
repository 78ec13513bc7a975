/** Where sentences end, by the kinds of cases that splitters are judged by. `|`: a sentence begins. */
import { paragraphs, sentences } from '../../nodes/SpeechGateway/text/boundaries';

const marked = (text: string) => {
	let at = 0;
	const parts = [...sentences(text), text.length].map((end) => {
		const part = text.slice(at, end);
		at = end;
		return part;
	});
	return parts.filter((part) => part !== '').join('|');
};

const CASES: Array<[language: string, ...texts: string[]]> = [
	[
		'English',
		'Dr. A. B. Smith met Mr. Jones at 5 p.m. on Monday. |He paid $3.50 for No. 5.',
		'See Fig. 3, pp. 4 ff. and ch. 2. |Then rest.',
		'Read Matt. 5:3 and Rom. 8:1. |It is late; sleep.',
		'It left at 10:30. |It cost $3.50. |He paid 1,50. |On 12.05. Monday it rains.',
		'“Why?” he asked. |“Because!” she cried.',
		'Well ... maybe. |He paused… and went on… |Then he left.',
		'1. Open it. |2. Press it.',
		'I. The letter. |II. The answer.',
		'It was Th. Mann. |Yahoo! is a name. |Was it?! |Yes.',
		'The U.S. Army (est. 1775) grew. |(It did.) |Then it shrank.',
		'Visit example.com. |Version 2.0.1 is out. |Run a.out now.',
	],
	[
		'German',
		'Das ist z. B. am 3. Mai, d. h. bald. |Vgl. Kap. 3 bzw. Abb. 4, i. d. R. S. 12.',
		'Prof. Dr. Müller wohnt in der Hauptstr. 5. |Er kam um 8 Uhr.',
		'Im 19. Jahrhundert lebte Th. Fontane. |„Wer da?“ – fragte er.',
	],
	[
		'Spanish',
		'El presidente de los EE. UU. llegó. |Vive en la Av. Juárez N°. 1026. |Bien.',
		'Hay frutas, p. ej. manzanas. |El Sr. García y la Dra. Paz (págs. 3 y 4) salen. |¿Quién? |¡Nadie!',
		'—¿Quién es? —preguntó Ana. |Los RR. HH. de la empresa… y nada más.',
	],
	[
		'French',
		'M. Dupont et Mme Leroy, p. ex. hier, virent cf. p. 12. |« Oui ! » dit-il. |Le n°. 5 est là.',
		'Voir chap. 3 et éd. 2. |« Qui ? » — demanda-t-il. |Rien.',
	],
	[
		'Italian',
		'Il Dott. Rossi, p. es. ieri, vide la pag. 12. |Il sig. Bianchi rise. |L’art. 5 vale.',
	],
	[
		'Portuguese',
		'O Sr. Silva mora na Av. Brasil, nº. 10. |A Profa. Lima veio, p. ex. ontem. |Sim.',
	],
	[
		'Dutch',
		'Dhr. Jansen en mevr. de Vries lazen blz. 12, bijv. gisteren. |Dat is o. a. goed. |Ja.',
	],
	['Swedish', 'Han åt t. ex. äpplen kl. 12, bl. a. röda. |Dr. Berg kom nr. 3. |Bra.'],
	[
		'Polish',
		'Mieszka przy ul. Długiej, tj. blisko, m. in. od 3. maja. |Np. prof. Nowak i św. Anna. |Tak.',
	],
	['Czech', 'Bydlí na nám. Míru č. 5, např. od 3. května. |Viz str. 12 a obr. 4. |Ano.'],
	['Turkish', 'Prof. Dr. Kaya, Atatürk Cad. No. 5 adresinde. |Örn. 3. katta, vb. yerlerde. |Evet.'],
	['Hungarian', 'Pl. dr. Kiss és az ún. nagy ház a 3. emeleten, kb. 5 óra. |Igen.'],
	['Finnish', 'Esim. prof. Virtanen, ks. s. 12, tuli klo 5 illalla. |Hyvä.'],
	[
		'Russian',
		'Это т. е. так, см. рис. 2 и стр. 5. |Дж. Р. Р. Толкин и г. Иванов жили на ул. Мира.',
		'«Кто там?» — спросил он. |И т. д. до конца… и дальше. |В 1990 г. он уехал.',
	],
	['Ukrainian', 'Див. рис. 3, напр. на вул. Франка. |Проф. Т. Г. Коваль прийшов. |Так.'],
	['Greek', 'Ο κ. Παπαδόπουλος, δηλ. ο Κ. Π. Καβάφης, βλ. σελ. 5. |Πότε; |«Πού;» |Ναι.'],
	['Hindi', 'देखिए पृ. १२ और सं. ५। |डॉ. शर्मा आए। |१. पहला काम। |प्रो. वर्मा गए।'],
	['Arabic', 'جاء د. أحمد إلى ص. ١٢ اليوم. |من هو؟ |لا أحد.'],
	['Thai', 'ดร. สมชาย เกิด พ.ศ. 2500 ที่นี่'],
	['Vietnamese', 'GS. TS. Nguyễn sống ở TP. Hồ Chí Minh. |Ông ấy vui.'],
	['Georgian', 'გვ. 12 და თ. 3. |კარგი.'],
	['Armenian', 'Նա եկավ։ |Նա գնաց։'],
	['Chinese', '他说：走吧。|价格是3.14元。|真的？！|是的……对。'],
	['Japanese', '行こう。|値段は3.14です。|本当？|はい。'],
];
test.each(CASES)('%s', (_language, ...texts) => {
	for (const text of texts) expect(marked(text.replaceAll('|', ''))).toBe(text);
});

test('a line that ends in an abbreviation ends no paragraph', () => {
	for (const line of ['Er kam mit Th.', 'den 3.'])
		expect([...paragraphs(`${line}\nMann. Ja.`)]).toEqual([]);
	expect([...paragraphs('Er kam.\nJa.')]).toEqual([8]);
});
