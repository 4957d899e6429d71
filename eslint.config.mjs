import jest from 'eslint-plugin-jest';
import jsdoc from 'eslint-plugin-jsdoc';
import tseslint from 'typescript-eslint';

const noClassesOfSyntax = [
  { selector: 'TSEnumDeclaration', message: 'Use a union of literals (style rule 7).' },
  { selector: 'ExportDefaultDeclaration', message: 'Use a named export (style rule 1).' },
  {
    selector: 'ObjectExpression > SpreadElement > ObjectExpression[properties.length>0]',
    message: 'Write the properties themselves; a literal that is spread says nothing more.',
  },
];
const noPrivateKeyword = {
  selector:
    ":matches(PropertyDefinition, MethodDefinition[kind!='constructor'], AccessorProperty)[accessibility='private']",
  message: 'Name private members with #, which the runtime enforces; TypeScript forgets the keyword.',
};
const noPlainErrors = {
  selector: "ThrowStatement > NewExpression[callee.name='Error']",
  message: 'Throw an IpamError with a code of the catalogue (style rule 8).',
};

export default tseslint.config(
  { ignores: ['lib/', 'dist/', 'node_modules/', 'coverage/', 'constructs/imports/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './test/tsconfig.json', './examples/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-syntax': ['error', ...noClassesOfSyntax],
      'max-lines': ['error', { max: 400, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': ['error', { max: 60, skipComments: true }],
      complexity: ['error', 10],
      'max-depth': ['error', 3],
      'max-params': ['error', 3],
    },
  },
  {
    files: ['operator/**/*.ts', 'constructs/**/*.ts', 'infra/**/*.ts'],
    plugins: { jsdoc },
    rules: {
      'no-restricted-syntax': ['error', ...noClassesOfSyntax, noPlainErrors, noPrivateKeyword],
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Read the environment in main.ts or cli/ only (style rule 17).',
        },
        { object: 'process', property: 'argv', message: 'Read the arguments in main.ts or cli/ only (style rule 17).' },
      ],
      'jsdoc/require-jsdoc': [
        'error',
        {
          publicOnly: true,
          require: { ClassDeclaration: true, FunctionDeclaration: true, MethodDefinition: true },
          contexts: [
            'TSInterfaceDeclaration',
            'TSTypeAliasDeclaration',
            'ExportNamedDeclaration > VariableDeclaration',
          ],
        },
      ],
      'jsdoc/require-param': ['error', { checkDestructured: false, enableFixer: false }],
      'jsdoc/check-param-names': ['error', { checkDestructured: false }],
      'jsdoc/require-returns': 'error',
      'jsdoc/informative-docs': 'error',
    },
  },
  {
    files: ['operator/main.ts', 'operator/cli/**/*.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: [
      'operator/addressing/**/*.ts',
      'operator/rules/**/*.ts',
      'operator/errors/**/*.ts',
      'operator/contract/**/*.ts',
    ],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['Date', 'setTimeout', 'setInterval', 'process', 'fetch', 'performance'].map((name) => ({
          name,
          message: 'The pure half has no clock, no timers and no process.',
        })),
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'The pure half has no randomness.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    plugins: { jest },
    rules: {
      ...jest.configs['flat/recommended'].rules,
      'jest/expect-expect': ['error', { assertFunctionNames: ['expect', 'expect*', 'fc.assert', 'property'] }],
      'jest/no-disabled-tests': 'error',
      'jest/no-focused-tests': 'error',
      'jest/valid-title': ['error', { mustNotMatch: { test: ['\\bshould\\b', 'state the fact, without "should"'] } }],
      'jest/no-standalone-expect': 'off',
      'jest/no-export': 'off',
      'no-restricted-syntax': [
        'error',
        ...noClassesOfSyntax,
        noPrivateKeyword,
        {
          selector: "CallExpression[callee.object.name='jest'][callee.property.name='mock']",
          message: 'Fakes for ports, never module mocks (style rule 20).',
        },
      ],
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
);
