/**
 * Words whose full stop ends no sentence, unknown to Unicode's rules; those with a capital, only so. A word too many costs little
 * (one place less to cut); a word too few separates `Dr.` from its name.
 */
export const ABBREVIATIONS = new Set(
	// Common ones.
	(
		'abs abschn abt al anm approx apr art aufl aug av ave bd blvd bros bzgl bzw ca capt cf cmdr co col corp dec ' +
		'dept dez dgl dipl dott dr dra ed eds env evtl feb fig fr frl ft geb gen gest ggf gov hon hr hrn hrsg inc ing ' +
		'inkl jan jh jhd jr jul jun kap lt ltd maj mar max med messrs mio mlle mme mr mrd mrs ms mt mx nov nr núm oct ' +
		'okt op phil pp pres prof pág rd rep rer rev sec sen sep sept sgt sig sog sr sra srta st std tel ud uds usw ' +
		'vgl viz vol vs ziff zzgl гг им млн млрд руб тыс ул ' +
		// The rest of CLDR's (Unicode-3.0 license), without everyday words of any language.
		'Abw Adj Adv Akt Allg Alm App Ausg Ausschl Avda Bed Bez Bibl Cdr Chr Comm Cont Cía Desv Diff Dim Dir Dras Drs ' +
		'Dto Dtzd Dña Einh Emm Erf Etc Excma Excmas Excmo Excmos Exma Exmas Exmo Exmos Fa Fabric Fam Fn Folg Gebr ' +
		'Geograph Ges Hbf Hd Hptst Id Ilma Ilmas Ilmo Ilmos Inh Jahrh Konv Kop Lcda Lcdo Lda Ldo Lic Ltda Ltdo Mgr ' +
		'Misc Mons Msp Num Obj Pfd Phys Prot Proz Pvt Rdo Rdos Rh Rvdmo Rvdmos Rvdo Rvdos Schr Sdad Sek Spezif Sq ' +
		'Srtas StR Sta Sto Str Trab Urspr Ursprüngl Vda Verf Wz Yr Zt Ztr abr abrev acoust adm adr aer afma afmas ' +
		'afmo afmos agric amtl anat ann anon apt arit arqueol arquit astron autom aux avr avv bco beil biogr broch ' +
		'bull categ cfr coll collab compl contab créd cx círc cód depto deptos desc dic dict dpto dptos dtor déb déc ' +
		'educ ehem eigtl einschl ej elem eletr eletrôn encycl ene entspr erw exec exempl exkl fasc fem fev figs filos ' +
		'fisiol fl frz févr fís gedr gek geom gesch ggfs gouv gr gên hnos hpts hôp illustr imprim ind indus ingl janv ' +
		'jew jhrl jue juil jur kath kfm kgl licda licdo lun matem mitt mié mss mtl mtro máq méd möbl mús neol ntra ' +
		'ntro náut näml obs od odont odontol organiz pag pq profa pron prov próx psicol publ quím ref rel relat réf ' +
		'röm schles schweiz schwäb sez sociol sras sres srs ss symb syst sáb séc símb südd tav tecnol trad transp ' +
		'tägl univ verh verw álg éd édit équiv éval índ österr авг апр дек кв нояб окт отд проф сент тел февр янв'
	).split(' '),
);
