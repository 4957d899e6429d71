/** One sample of a series, by its labels. */
interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Series at one moment, by their metric. */
export type Series = Readonly<Record<string, readonly Sample[]>>;

const TOKEN = /\s*(max by|max(?=\()|[a-z_]+|\d+(?:\.\d+)?|"[^"]*"|!=|<=|>=|==|[<>{}(),=/*-])/uy;
const LEVELS: readonly (readonly string[])[] = [['and'], ['>', '<', '<=', '>=', '=='], ['-'], ['*', '/']];

/**
 * Evaluates what expressions of alerts are made of, as Prometheus does: metrics with matchers, `max by`, numbers, arithmetic, comparisons that
 * filter, and `and`; two vectors match where their labels are the same.
 */
export class AlertSeries {
  readonly #series: Series;
  #tokens: string[] = [];

  constructor(series: Series) {
    this.#series = series;
  }

  /** Samples for which an expression holds; a number has no labels. */
  evaluate(expr: string): readonly Sample[] {
    this.#tokens = tokensOf(expr);
    const found = this.#binary(0);
    if (this.#tokens.length > 0) throw new RangeError(`cannot read ${this.#tokens.join(' ')} of ${expr}`);
    return found.samples;
  }

  #binary(level: number): Vector {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    while (operators.includes(this.#tokens[0] ?? '')) left = applied(this.#take(), left, this.#binary(level + 1));
    return left;
  }

  #unary(): Vector {
    const token = this.#take();
    if (token === '(') {
      const inner = this.#binary(0);
      this.#expect(')');
      return inner;
    }
    if (token === 'max by' || token === 'max') return this.#maximum(token === 'max' ? [] : this.#list('(', ')'));
    if (/^\d/u.test(token)) return { isNumber: true, samples: [{ labels: {}, value: Number(token) }] };
    return { isNumber: false, samples: this.#selected(token) };
  }

  #maximum(by: readonly string[]): Vector {
    this.#expect('(');
    const { samples } = this.#binary(0);
    this.#expect(')');
    const groups = new Map<string, Sample>();
    for (const { labels, value } of samples) {
      const kept = Object.fromEntries(by.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]]])));
      const before = groups.get(keyOf(kept))?.value ?? -Infinity;
      groups.set(keyOf(kept), { labels: kept, value: Math.max(before, value) });
    }
    return { isNumber: false, samples: [...groups.values()] };
  }

  #selected(metric: string): readonly Sample[] {
    const all = this.#series[metric] ?? [];
    if (this.#tokens[0] !== '{') return all;
    const words = this.#list('{', '}');
    const [name = '', operator = '', text = ''] = words;
    return all.filter(({ labels }) => (labels[name] === text.slice(1, -1)) === (operator === '='));
  }

  #list(open: string, close: string): readonly string[] {
    this.#expect(open);
    const words: string[] = [];
    for (let word = this.#take(); word !== close; word = this.#take()) if (word !== ',') words.push(word);
    return words;
  }

  #take(): string {
    const token = this.#tokens.shift();
    if (token === undefined) throw new RangeError('the expression ends too early');
    return token;
  }

  #expect(wanted: string): void {
    const token = this.#take();
    if (token !== wanted) throw new RangeError(`expected ${wanted}, found ${token}`);
  }
}

interface Vector {
  readonly isNumber: boolean;
  readonly samples: readonly Sample[];
}

function tokensOf(expr: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < expr.length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(expr)?.[1];
    if (token === undefined) throw new RangeError(`cannot read "${expr.slice(at)}"`);
    tokens.push(token);
  }
  return tokens;
}

const keyOf = (labels: Sample['labels']): string => JSON.stringify(Object.entries(labels).sort());

const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};
const COMPARISON: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
  '==': (a, b) => a === b,
};

function applied(operator: string, left: Vector, right: Vector): Vector {
  const partner = (labels: Sample['labels']): Sample | undefined =>
    right.isNumber ? right.samples[0] : right.samples.find((each) => keyOf(each.labels) === keyOf(labels));
  // a number before a vector is met by each of its samples
  const sides = left.isNumber
    ? right.samples.map(({ labels, value }) => ({ labels, a: left.samples[0]?.value ?? NaN, b: value }))
    : left.samples.flatMap(({ labels, value }) => {
        const other = partner(labels);
        return other === undefined ? [] : [{ labels, a: value, b: other.value }];
      });
  const isKept = COMPARISON[operator] ?? (() => true);
  const value = ARITHMETIC[operator] ?? ((a: number) => a);
  return {
    isNumber: left.isNumber && right.isNumber,
    samples: sides.filter(({ a, b }) => isKept(a, b)).map(({ labels, a, b }) => ({ labels, value: value(a, b) })),
  };
}
