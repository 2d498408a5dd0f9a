"""Writes the LightGBM models of fixtures/models, with rows and the raw scores that the library gives for them.

Run it once with each version, in environments of their own; each writes the files that have its version in their name:

    python3 -m venv old && old/bin/pip install lightgbm==2.2.3 'numpy<1.24' 'scipy<1.12' 'pandas<2' 'scikit-learn<1.3'
    python3 -m venv mid && mid/bin/pip install lightgbm==3.3.5 'numpy<1.24' 'scipy<1.12' 'pandas<2' 'scikit-learn<1.3'
    python3 -m venv new && new/bin/pip install lightgbm==4.7.0 'numpy<3' 'pandas<3' scipy
    old/bin/python test/models/imported/make-lightgbm.py fixtures/models     # and lightgbm==2.3.1, mid, new

A JSON file has `rows` (null is missing, infinities are texts), `scores` as `raw_score=True` gives them for the file,
and `predictions`, all as the shortest texts of doubles.
"""
import json, os, sys
import lightgbm as lgb
import numpy as np
import pandas as pd

folder = sys.argv[1]
version = '.'.join(lgb.__version__.split('.')[:2])
random = np.random.RandomState(43)
SMALL = {'verbose': -1, 'num_leaves': 7, 'min_data_in_leaf': 5, 'num_threads': 1, 'seed': 3,
         'min_data_per_group': 5, 'cat_smooth': 1, 'cat_l2': 1, 'learning_rate': 0.2}
ROWS, KEPT = 600, 60


def frame():
    data = pd.DataFrame({
        'monthly charges': np.round(random.rand(ROWS) * 100, 2),
        'age': random.randint(18, 90, ROWS).astype(float),
        'balance': np.where(random.rand(ROWS) < 0.4, 0, random.randn(ROWS) * 1000),
        'plan': random.choice(['basic', 'plus', 'pro', 'été'], ROWS),
        'district': random.choice([10000, 10003, 20017], ROWS),
        'size': random.choice(['small', 'medium', 'large'], ROWS),
        'partner': random.rand(ROWS) < 0.5,
        'constant': 1.0,
    })
    data.loc[random.rand(ROWS) < 0.15, 'monthly charges'] = np.nan
    data.loc[random.rand(ROWS) < 0.1, 'balance'] = np.nan
    return data


def with_categories(data, ordered=False):
    data = data.copy()
    data['plan'] = pd.Categorical(data['plan'], categories=['basic', 'plus', 'pro', 'été'])
    data['district'] = pd.Categorical(data['district'])
    data['partner'] = pd.Categorical(data['partner'])
    data['size'] = (pd.Categorical(data['size'], categories=['small', 'medium', 'large'], ordered=True)
                    if ordered else pd.Categorical(data['size']))
    data.loc[random.rand(len(data)) < 0.05, 'plan'] = np.nan
    return data


def numbers(data):
    return data[['monthly charges', 'age', 'balance', 'constant']].copy()


def label(data):
    score = (data['monthly charges'].fillna(80) / 40 + (data['plan'].astype(str) == 'pro') * 2.0
             + (data['size'].astype(str) == 'large') - data['age'] / 50 + (data['balance'].fillna(0) == 0)
             + (data['district'].astype(int) == 10003) + data['partner'].astype(int) * 0.5)
    return score + random.randn(len(data)) * 0.3


def plain(value):
    if isinstance(value, (bool, np.bool_)): return str(bool(value))
    if isinstance(value, str): return value
    if value is None or value != value: return None
    if np.isinf(value): return 'inf' if value > 0 else '-inf'
    return value.item() if hasattr(value, 'item') else value


def as_texts(data):
    """Categories as the texts that they have in a CSV."""
    out = data.astype(object)
    for column in data.columns:
        if isinstance(data[column].dtype, pd.CategoricalDtype):
            out[column] = [None if value != value else str(value) for value in data[column].astype(object)]
    return [[plain(value) for value in row] for row in out.values.tolist()]


def odd(data):
    """Rows with the values at which implementations differ."""
    rows = data.head(KEPT).copy()
    names = [n for n in rows.columns if rows[n].dtype == float and n != 'constant']
    values = [np.nan, 0.0, -0.0, np.inf, -np.inf, 1e-35, -1e-35, 1.0000000180025095e-35, -1.0000000180025095e-35,
              1.1e-35, -1.1e-35, 5e-324, 1e300, -1e300]
    for i, value in enumerate(values):
        for j, name in enumerate(names):
            if (i + j) % 2 == 0 or i < 3: rows.iloc[i + j, rows.columns.get_loc(name)] = value
    return rows


def save(name, model, data, rows=None, texts=None):
    path = os.path.join(folder, 'lightgbm-%s-%s' % (version, name))
    model.save_model(path + '.txt')
    read = lgb.Booster(model_file=path + '.txt')
    rows = odd(data) if rows is None else rows
    scores = np.asarray(read.predict(rows, raw_score=True), dtype=float)
    assert np.array_equal(scores, model.predict(rows, raw_score=True)), name
    with open(path + '.json', 'w') as file:
        json.dump({'rows': as_texts(rows) if texts is None else texts,
                   'scores': scores.reshape(len(rows), -1).tolist(),
                   'predictions': np.asarray(read.predict(rows), dtype=float).reshape(len(rows), -1).tolist()}, file)
        file.write('\n')


def train(params, data, target, rounds=4, **more):
    keep = {k: more.pop(k) for k in ('fobj',) if k in more}
    return lgb.train(dict(SMALL, **params), lgb.Dataset(data, target, **more), rounds, **keep)


raw = frame()
y = label(raw)
if version == '2.2':
    data = with_categories(raw)
    save('binary', train({'objective': 'binary', 'sigmoid': 0.7}, data, (y > y.median()).astype(int)), data)
    save('xentropy', train({'objective': 'xentropy'}, numbers(raw), 1 / (1 + np.exp(-y))), numbers(raw))
elif version == '2.3':
    data = numbers(raw)
    save('regression', train({'objective': 'regression', 'zero_as_missing': True}, data, y), data)
    data = with_categories(raw)
    save('multiclass', train({'objective': 'multiclass', 'num_class': 3}, data, pd.qcut(y, 3, labels=False), 2), data)
elif version == '3.3':
    data = with_categories(raw, ordered=True)
    save('ordered', train({'objective': 'binary'}, data, (y > y.median()).astype(int)), data)
    data = numbers(raw)
    save('forest', train({'objective': 'regression', 'boosting': 'rf', 'bagging_freq': 1, 'bagging_fraction': 0.5}, data, y, 3), data)
else:
    data = with_categories(raw)
    unseen = odd(data)
    texts = as_texts(unseen)
    for i in range(20, 24):
        texts[i][3] = 'never'
        unseen.loc[i, 'plan'] = np.nan
    save('binary', train({'objective': 'binary'}, data, (y > y.median()).astype(int), 6), data, unseen, texts)
    codes = numbers(raw)
    codes['district'] = raw['district'].map({10000: 0, 10003: 1, 20017: 40}).astype(float)
    rows = odd(codes)
    rows['district'] = [[0, 1, 40, 41, 2, -1, np.nan, 1e6, np.inf, 3][i % 10] for i in range(KEPT)]
    save('codes', train({'objective': 'poisson', 'boosting': 'dart', 'drop_rate': 0.5}, codes, np.exp(y / 3), 6,
                        categorical_feature=['district']), codes, rows)
    array = numbers(raw).values
    rows = odd(numbers(raw))
    model = train({'objective': 'multiclassova', 'num_class': 3, 'sigmoid': 1.3, 'use_missing': False},
                  array, pd.qcut(y, 3, labels=False).values, 2)
    save('positions', model, None, rows)
    missing = pd.DataFrame({'only': np.where(random.rand(ROWS) < 0.5, np.nan, 1.0), 'age': raw['age']})
    save('inf', train({'objective': 'regression', 'reg_sqrt': True}, missing, missing['only'].isna() * 2 + y), missing)
    save('custom', train({'objective': lambda p, d: (p - d.get_label(), np.ones(len(p)))}, numbers(raw), y), numbers(raw))
    train({'objective': 'regression', 'linear_tree': True}, numbers(raw).fillna(0), y, 2).save_model(
        os.path.join(folder, 'lightgbm-%s-linear.txt' % version))
