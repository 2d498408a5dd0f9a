# AUC with DeLong's interval by pROC, and Wilson's interval by prop.test. Called by reference.py.
#   Rscript reference.R auc FILE      a CSV of y and p
#   Rscript reference.R share X N
suppressPackageStartupMessages(library(pROC))
args <- commandArgs(trailingOnly = TRUE)
if (args[1] == "auc") {
  rows <- read.csv(args[2])
  curve <- roc(rows$y, rows$p, levels = c(0, 1), direction = "<", quiet = TRUE, algorithm = 2)
  interval <- suppressWarnings(as.numeric(ci.auc(curve, method = "delong")))
  cat(sprintf("%.12g", c(as.numeric(auc(curve)), interval[1], interval[3])))
} else {
  interval <- suppressWarnings(prop.test(as.numeric(args[2]), as.numeric(args[3]), correct = FALSE))$conf.int
  cat(sprintf("%.12g", interval))
}
