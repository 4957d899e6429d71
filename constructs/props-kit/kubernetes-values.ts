import { Lazy } from 'cdk8s';

import { parsePrefix } from '../../operator/addressing/prefix';
import { mapped } from './containers';
import { passed, type Rule } from './rule';
import { formed, isLate, lazily, lazyJudged, single, text } from './values';

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const NAME = `${LABEL}(?:\\.${LABEL})*`;
const QUALIFIED = `(?:(?=[^/]{1,253}/)${NAME}/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?`;
const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`, 'u');
const KEY_IN_WORDS = 'letters, digits, "-", "_" and ".", at most 63, behind a DNS name and "/" if you like';

/** Name of a namespace, and of a Service. */
export const DNS_LABEL = formed(whole(LABEL), 'a DNS label (a-z, 0-9 and -, at most 63 characters)', 63);
/** Name of most objects: Secrets, classes, issuers. */
export const DNS_NAME = formed(whole(NAME), 'a DNS name (a-z, 0-9, - and ., at most 253 characters)', 253);
/** The same where Kubernetes takes an empty text for "none". */
export const DNS_NAME_OR_EMPTY = formed(
  whole(`(?:${NAME})?`),
  'a DNS name (a-z, 0-9, - and ., at most 253 characters), or an empty text',
  253,
);
/** Host name in a certificate. */
export const HOST_NAME = formed(whole(`(?:\\*\\.)?${NAME}`), 'a host name such as ipam.example or *.ipam.example', 253);
/** Key of a label, class of a load balancer. */
export const QUALIFIED_NAME = formed(whole(QUALIFIED), KEY_IN_WORDS);
/** Key of an annotation, whose DNS name may hold capitals. */
const ANNOTATION_KEY: Rule<string> = {
  ...QUALIFIED_NAME,
  judge: (value, at) => {
    const lower = QUALIFIED_NAME.judge(typeof value === 'string' && !isLate(value) ? value.toLowerCase() : value, at);
    return lower.faults.length === 0 ? passed(value) : QUALIFIED_NAME.judge(value, at);
  },
};
/** Value of a label; an empty one is legal. */
export const LABEL_VALUE = formed(
  /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/u,
  'at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends, or an empty text',
);
/** Keys and values by which objects are found; both are short. */
export const LABELS = mapped(QUALIFIED_NAME, lazily(LABEL_VALUE));
/** Labels of Pods, which may be known when all constructs are there. */
export const SELECTOR = lazily(LABELS);
/** Annotations of an object; a value may be any text. */
export const ANNOTATIONS = mapped(ANNOTATION_KEY, lazily(text()));
/** Annotations whose values another check looks at. */
export const ANNOTATION_KEYS = mapped<string | number | boolean>(ANNOTATION_KEY, {
  allowed: 'a text, a number or a boolean',
  judge: (value, at) => (value instanceof Lazy ? lazyJudged(at) : passed(value)),
});

const AMOUNT = '(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)';
/** CPU and memory. */
export const QUANTITY = formed(
  whole(`${AMOUNT}(?:[eE][-+]?[0-9]{1,3}|[numkMGTPE]|[KMGTPE]i)?`),
  'a quantity of Kubernetes such as "250m" or "512Mi"',
);
/** Size of a volume, which has one. */
export const SIZE = formed(
  whole(`(?=[0.]*[1-9])${AMOUNT}(?:[eE][-+]?[0-9]{1,3}|[numkMGTPE]|[KMGTPE]i)?`),
  'a quantity of Kubernetes above zero such as "1Gi"',
);
/** Duration in objects of the Prometheus operator. */
export const DURATION = formed(
  /^(?=[0-9])(?:[0-9]+y)?(?:[0-9]+w)?(?:[0-9]+d)?(?:[0-9]+h)?(?:[0-9]+m)?(?:[0-9]+s)?(?:[0-9]+ms)?$/u,
  'a duration of Prometheus such as "30s" or "1m30s"',
);
/** Groups of the API server itself, but for that of its administrators and those of one namespace, hold every user of a kind. */
const ALL_OF_A_KIND = /^system:(?!masters$|serviceaccounts:[a-z0-9])/u;
/** Group in Kubernetes, whatever a login hands over, in which few people are. */
export const BREAK_GLASS_GROUP: Rule<string> = single({
  types: ['string'],
  allowed:
    'the name of a group, without blanks at its ends, of few people: not one that the API server puts every user in (system:…)',
  holds: (value) => /^[^\s\p{C}]+(?: [^\s\p{C}]+)*$/u.test(value) && !ALL_OF_A_KIND.test(value),
});
/** A network in CIDR notation. */
export const CIDR: Rule<string> = {
  allowed: 'a network in CIDR notation such as 10.0.0.0/16',
  types: ['string'],
  judge: (value, at) => {
    const judged = text().judge(value, at);
    if (judged.malformed || isLate(value)) return judged;
    const parsed = parsePrefix(value as string);
    if (parsed.ok) return judged;
    const { code: _code, message, ...rest } = parsed.refusal;
    return { ...judged, faults: [{ ...rest, field: at, message: `${at}: ${message}` }] };
  },
};

/** Host of an image, with port and path. */
export const REGISTRY = formed(
  /^(?:[A-Za-z0-9](?:[-A-Za-z0-9.]*[A-Za-z0-9])?|\[[0-9a-fA-F:]+\])(?::[0-9]{1,5})?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*\/*$/u,
  'the host of a registry without a scheme, such as registry.example:5000/mirror',
);
/** Path of an image. */
export const REPOSITORY = formed(
  /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/u,
  'the path of an image in small letters such as team/cdk8s-ipam',
);
/** Tag of an image. */
export const TAG = formed(/^\w[\w.-]{0,127}$/, 'a tag (letters, digits, "_", "." and "-", at most 128 characters)');
/** Digest of an image. */
export const DIGEST = formed(/^sha256:[0-9a-f]{64}$/u, 'sha256: and 64 hexadecimal digits');
