import pytest

from fewshot.errors import FewshotError
from fewshot.pretraining import config


def test_every_number_has_a_range():
    numbers = {name for name, value in config.asdict(config.PretrainConfig()).items() if type(value) in (int, float)}
    assert numbers == config.RANGES.keys()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("layer = 3\n", "unknown setting 'layer'"),
        ("layers = 'two'\n", "must be int"),
        ("layers =\n", "not valid TOML"),
        ("tokenizer = 'bytes'\n", "unknown tokenizer 'bytes'"),
        ("batch = 0\n", r"c\.toml: batch = 0 must be 1 or more"),
        ("updates = -1\n", "updates = -1 must be 0 or more"),
        ("vocabulary = 5\n", "vocabulary = 5 must be 6 or more"),
        ("lr = nan\n", "lr = nan must be between 1e-09 and 1"),
        ("rare_exponent = inf\n", "rare_exponent = inf must be 0 or more"),
        ("pair_share = 1.5\n", "pair_share = 1.5 must be between 0 and 1"),
        ("nsp = 1\n", "nsp = 1 must be bool"),
        ("heads = 3\n", "hidden = 256 must be a multiple of heads = 3"),
        ("length = 600\n", "length = 600 must not be greater than positions = 512"),
        ("transforms = 3\n", "transforms = 3 must be dict"),
        ("transforms.en = 3\n", r"transforms\.en = 3 must be a list of names"),
        ("transforms.en = 'fake'\n", r"transforms\.en = 'fake' must be a list of names"),
        ("[transforms]\nen = ['fakes']\n", "unknown transform 'fakes'"),
    ],
)
def test_bad_config(tmp_path, text, message):
    (tmp_path / "c.toml").write_text(text)
    with pytest.raises(FewshotError, match=message):
        config.read_settings(tmp_path / "c.toml", config.PretrainConfig)
