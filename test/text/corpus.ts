/** 30 paragraphs in 10 languages, as lists of their sentences: what a narrator meets, abbreviations and tone tags included. */
export const CORPUS: Array<{ language: string; space: string; paragraphs: string[][] }> = [
	{
		language: 'English',
		space: ' ',
		paragraphs: [
			[
				'(calm) It was a quiet evening in St. Ives, and Mr. and Mrs. Carter had gone to bed early.',
				'The wind, which had blown since 4 p.m. without a break, seemed to be over.',
				'(sad) The lamp in the window was out.',
				'(whispering) “Did you hear that?” she asked.',
				'He had heard nothing, i.e. nothing worth getting up for.',
				'(laughing) “Go to sleep,” he said.',
			],
			[
				'See Sec. 4 of the report, Fig. 12, and Art. 7 of the treaty.',
				'According to Smith et al. the rate rose to 3.5 percent, approx. twice that of Dec. 2019.',
				'No. 5 on the list is the work of Prof. A. B. Jones, Ph.D., of the U.S. Geological Survey.',
				'Inc. and Ltd. firms paid max. 40 dollars.',
				'Was it enough?',
				'Hardly!',
			],
			[
				'She opened Beethoven’s sonata, Op. 27, at the second movement and waited.',
				'(softly) Nobody spoke.',
				'(in a hurry tone) Then the door flew open.',
				'"Gen. Lee, Lt. Cdr. Miles and Capt. Fox are here," the boy said.',
				'He ran off... and was gone.',
			],
		],
	},
	{
		language: 'German',
		space: ' ',
		paragraphs: [
			[
				'Am 3. Oktober bat Hr. Weber den Hrn. Minister um ein Gespräch, das rd. 20 Min. dauern sollte.',
				'(traurig) Es kam nicht dazu.',
				'Laut Art. 5 Abs. 3 des Gesetzes, vgl. auch Kap. 2, gilt dies ggf. auch für Vereine, Verbände usw. ohne Sitz im Inland.',
				'(lachend) „Das glaube ich nicht!“, rief sie.',
			],
			[
				'Im 19. Jahrhundert, d. h. vor der Gründung des Reiches, lebten in der Stadt ca. 3 Mio. Menschen.',
				'Die Fa. Krause & Co. beschäftigte max. 40 Arbeiter, u. a. aus Böhmen.',
				'Dr. med. Müller und Dipl.-Ing. Kern wohnten in der Hauptstr. 12.',
				'Was folgte, ist bekannt.',
			],
			[
				'(leise) Er sah auf die Uhr.',
				'Es war kurz nach 10.30 Uhr, und der Zug nach St. Pölten stand noch immer auf Gleis 4.',
				'(wütend) Niemand sagte etwas.',
				'„Kommen Sie“, sagte der Schaffner, „es geht gleich weiter.“',
				'Und so geschah es auch.',
			],
		],
	},
	{
		language: 'French',
		space: ' ',
		paragraphs: [
			[
				'M. Dupont et Mme Leroy arrivèrent vers 8 h. du matin, au nº 5 de la rue.',
				'« Entrez donc ! »',
				'(triste) Personne ne répondit.',
				'La maison, bâtie en 52 av. J.-C. selon la légende, était vide.',
			],
			[
				'Selon le prof. Martin, le vol. 3 de l’ouvrage, éd. Gallimard, date de févr. 1950.',
				'Est-ce vrai ?',
				'On l’ignore encore aujourd’hui.',
				'(en riant) Cela ne change rien, d’ailleurs.',
			],
			[
				'Il pleuvait depuis trois jours sur la côte, et les bateaux restaient au port.',
				'(doucement) Elle ferma le livre.',
				'Puis elle se leva, prit son manteau, et sortit sans dire un mot…',
				'Le vent l’attendait.',
			],
		],
	},
	{
		language: 'Spanish',
		space: ' ',
		paragraphs: [
			[
				'El Sr. García y la Sra. López vivían en la Avda. de la Paz, núm. 7.',
				'¿Quién lo diría?',
				'(triste) Nadie los echó de menos.',
				'La Dra. Ruiz, del dpto. de historia, fue la primera en llamar.',
			],
			[
				'Véase la pág. 12, fig. 3, del informe del Excmo. Ayuntamiento.',
				'¡Qué sorpresa!',
				'(riendo) Ud. no sabe lo que dice.',
				'Todo terminó, p. ej. en Sevilla, antes del verano.',
			],
			[
				'Cuando llegó la noche, el pueblo entero salió a la plaza con velas encendidas.',
				'(en voz baja) Alguien empezó a cantar.',
				'Después, poco a poco, se unieron los demás.',
				'Fue una noche larga y hermosa.',
			],
		],
	},
	{
		language: 'Italian',
		space: ' ',
		paragraphs: [
			[
				'Il sig. Rossi e il dott. Bianchi si incontrarono alle 9.30 davanti alla sede della S.p.A. Ferrari.',
				'(triste) Non si salutarono.',
				'L’avv. Conti, invece, arrivò in ritardo.',
				'“Scusate”, disse.',
			],
			[
				'Si veda pag. 14, tav. 2, e il vol. 3 dell’opera.',
				'Roma fu fondata nel 753 a.C. secondo la leggenda.',
				'(ridendo) Chi ci crede ancora?',
				'Quasi nessuno, direi.',
			],
			[
				'La neve cadeva piano sui tetti e nelle strade non passava più nessuno.',
				'(sottovoce) Lei spense la luce.',
				'Restarono a guardare fuori, in silenzio, fino al mattino.',
				'Poi smise.',
			],
		],
	},
	{
		language: 'Portuguese',
		space: ' ',
		paragraphs: [
			[
				'O Sr. Silva e a Dra. Costa moravam na Av. Paulista, no prédio da Ltda. Moreira.',
				'(triste) Ninguém sabia disso.',
				'Conforme a pág. 20, séc. XIX, o prof. Lima nunca esteve lá.',
				'Será verdade?',
			],
			[
				'Ele chegou às 7h, tomou um café e abriu o jornal.',
				'(rindo) “Que absurdo!”, disse em voz alta.',
				'A Exma. Sra. Diretora não achou graça.',
				'Saiu sem olhar para trás.',
			],
			[
				'O rio subia devagar, e a cidade inteira esperava nas janelas.',
				'(sussurrando) Ouviu-se um sino.',
				'Era meia-noite, e a água parou.',
				'No dia seguinte, o sol voltou.',
			],
		],
	},
	{
		language: 'Russian',
		space: ' ',
		paragraphs: [
			[
				'А. С. Пушкин родился в 1799 г. в Москве, на ул. Немецкой.',
				'(грустно) Дом не сохранился.',
				'По словам проф. Иванова, это было в янв. или февр. месяце.',
				'Кто знает?',
			],
			[
				'Он заплатил 5 тыс. руб. за книгу и ушёл.',
				'(шёпотом) Никто его не видел.',
				'«Пойдёмте», — сказала она.',
				'И они пошли домой, т. е. туда, где их ждали.',
			],
			[
				'Снег шёл всю ночь, и к утру дороги не стало видно.',
				'(смеясь) Дети выбежали во двор!',
				'Собака бежала за ними и лаяла.',
				'Так началась зима.',
			],
		],
	},
	{
		language: 'Chinese',
		space: '',
		paragraphs: [
			[
				'今天天气很好，我们一家人去了公园。',
				'（高兴）孩子们跑来跑去，笑个不停！',
				'妈妈问：“你们饿了吗？”',
				'大家都说饿了。',
			],
			[
				'他在那家公司工作了3.5年，每月工资约8000元。',
				'（伤心）后来公司倒闭了。',
				'他没有告诉任何人……',
				'直到昨天，我们才知道。',
			],
			[
				'夜深了，街上一个人也没有。',
				'（耳语）“别出声。”',
				'她轻轻地关上了门，走下楼梯。',
				'外面下着雪。',
			],
		],
	},
	{
		language: 'Japanese',
		space: '',
		paragraphs: [
			[
				'今日は朝から雨が降っていて、駅前の道は人でいっぱいでした。',
				'（悲しい）彼は傘を持っていませんでした。',
				'「大丈夫ですか？」',
				'後ろから声がしました。',
			],
			[
				'人工知能の研究は1950年代に始まり、今では約3.5倍の速さで進んでいます。',
				'（笑う）本当でしょうか！',
				'専門家の意見はさまざまです。',
			],
			[
				'夜の海はとても静かで、波の音だけが聞こえました。',
				'（囁く）誰かがいる。',
				'彼女は立ち止まり、耳を澄ませました。',
				'やがて、月が雲から出てきました。',
			],
		],
	},
	{
		language: 'Arabic',
		space: ' ',
		paragraphs: [
			[
				'كان الجو جميلا في ذلك الصباح، فخرجنا إلى الحديقة.',
				'(حزين) لم يكن هناك أحد.',
				'هل تعرفون السبب؟',
				'لم أعرفه إلا بعد سنوات.',
			],
			[
				'وصل د. أحمد إلى المدينة سنة 1990 ومعه كتبه كلها.',
				'(يضحك) قال إنه لن يعود!',
				'لكنه عاد بعد شهرين فقط.',
				'هكذا هي الحياة.',
			],
			[
				'سقط المطر طوال الليل على البيوت القديمة.',
				'(همس) أغلقت النافذة.',
				'ثم جلست أقرأ حتى الفجر.',
				'كانت ليلة طويلة.',
			],
		],
	},
];
