"""Writes a CSV as Parquet, in row groups of 100,000 rows: INPUT OUTPUT"""
import sys
import polars as pl

source, target = sys.argv[1:3]
pl.read_csv(source, infer_schema_length=None).write_parquet(target, row_group_size=100_000)
