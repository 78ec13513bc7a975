/** Abbreviations of CLDR (Unicode-3.0 license), without their full stop and without everyday words of any language. */
export const CLDR_ABBREVIATIONS =
	'Abs Abt Abw Adj Adr Adv Akt Allg Alm App Approx Apr Art Aug Ausg Ausschl Av Avda Bed Bez Bibl ' +
	'Ca Capt Cdr Cfr Chr Co Col Comm Cont Corp Cía Dec Dept Desc Desv Dez Diff Dim Dir Dr Dra Dras ' +
	'Drs Dto Dtzd Dña Ed Einh Emm Erf Etc Evtl Excma Excmas Excmo Excmos Exec Exma Exmas Exmo ' +
	'Exmos Fa Fabric Fam Feb Fn Folg Fr Frl Gebr Geograph Geom Ges Gesch Ggf Hbf Hd Hptst Hr Hrn ' +
	'Hrsg Id Ilma Ilmas Ilmo Ilmos Inc Ing Inh Jahrh Jan Jr Jun Kap Kfm Konv Kop Lcda Lcdo Lda Ldo ' +
	'Lic Lt Ltd Ltda Ltdo Maj Mar Mgr Mio Misc Mons Mr Mrd Mrs Ms Msp Mt Nov Nr Num Obj Okt Op Pfd ' +
	'Phys Prof Prot Proz Pvt Rdo Rdos Rel Rep Rev Rh Rvdmo Rvdmos Rvdo Rvdos Schr Sdad Sek Sep ' +
	'Sept Sgt Sig Spezif Sq Sr Sra Sras Sres Srta Srtas St StR Sta Std Sto Str Tel Trab Tägl Urspr ' +
	'Ursprüngl Vda Verf Vgl Wz Yr Zt Ztr abr abrev acoust adm adr aer afma afmas afmo afmos agric ' +
	'amtl anat ann anon apt arit arqueol arquit astron autom aux avr avv bco beil biogr broch bull ' +
	'categ cf cfr coll collab compl contab créd cx círc cód depto deptos desc dez dic dict dipl ' +
	'dott dpto dptos dr dtor déb déc ed educ ehem eigtl einschl ej elem eletr eletrôn encycl ene ' +
	'entspr erw evtl exec exempl exkl fasc feb fem fev fig figs filos fisiol fl fr frz févr fís ' +
	'geb gedr gek geom gesch gest ggf ggfs gouv gr gên hnos hpts hôp illustr imprim ind indus ingl ' +
	'inkl jan janv jew jhrl jue juil jul jun jur kath kfm kgl licda licdo lun matem mitt mié ms ' +
	'mss mtl mtro máq méd möbl mús neol nov ntra ntro náut näml obs oct od odont odontol organiz ' +
	'pag pp pq prof profa pron prov próx psicol publ pág quím ref rel relat réf röm schles schweiz ' +
	'schwäb sept sez sociol sog sras sres srs ss symb syst sáb séc símb südd tav tecnol tel trad ' +
	'transp tägl univ verh verw vgl vol vs zzgl álg éd édit équiv éval índ österr авг апр дек кв ' +
	'нояб окт отд проф руб сент тел тыс ул февр янв';
