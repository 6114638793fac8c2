"""A file of two sentences, and what people correct in the trees of it."""

FILE = """# sent_id = s1
# text = Ana va al mar
# note = kept
1\tAna\tAna\tPROPN\tNP\t_\t2\tnsubj\t2:nsubj\tGloss=Ana
2\tva\tva\tNOUN\tNN\tTense=Pres|Mood=Ind\t0\troot\t0:root\t_
2.1\tella\t_\tPRON\t_\tCase=Nom\t_\t_\t2:nsubj\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\tSP\t_\t5\tcase\t5:case\t_
4\tel\tel\tDET\tDA\tNumber=Sing\t5\tdet\t5:det\t_
5\tmar\tmar\tNOUN\tNN\tNumber=Sing\t2\tobl\t2:obl\tSpaceAfter=No

# sent_id = s2
# text = قرأت.
1\tقرأت\tقرأ\tNOUN\t_\t_\t0\troot\t0:root\tSpaceAfter=No
2\t.\t.\tPUNCT\t_\t_\t1\tpunct\t1:punct\t_

"""
TREE = {"heads": [2, 0, 5, 5, 2], "deprels": ["nsubj", "root", "case", "det", "obl"]}
VERB = {"upos": [None, "VERB", None, None, None], "lemmas": [None, "ir", None, None, None]}
MORE = VERB | {"xpos": [None, "VMI", None, None, None], "feats": ["", "Mood=Ind", "Foreign=Yes", None, None]}
CORRECTED_FILE = FILE.replace("va\tva\tNOUN\tNN\tTense=Pres|Mood=Ind", "va\tir\tVERB\tVMI\tMood=Ind").replace(
    "a\tADP\tSP\t_", "a\tADP\tSP\tForeign=Yes"
)
TAGS = {"upos": ["PROPN", "NOUN", "ADP", "DET", "NOUN"]}
AUX = {"upos": ["PROPN", "AUX", "ADP", "DET", "NOUN"]}
