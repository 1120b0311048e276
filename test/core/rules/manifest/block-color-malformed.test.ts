import { blockColorMalformed } from '../../../../src/core/rules/manifest/block-color-malformed.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const at = '/blockStyle/color';

ruleTable(blockColorMalformed, {
  clean: [
    ['lower case', { color: '#1a73e8' }],
    ['upper case', { color: '#1A73E8' }],
    ['mixed case', { color: '#a1B2c3' }],
    ['black', { color: '#000000' }],
  ],
  faulty: [
    ['empty', { color: '' }, { at, advice: 'six hexadecimal digits' }],
    ['short form', { color: '#FFF' }, { at, advice: '"#FFFFFF"' }],
    ['short form with alpha', { color: '#fa08' }, { at, advice: '"#ffaa00"' }],
    ['with alpha', { color: '#11223344' }, { at, advice: '"#112233"' }],
    ['no #', { color: '1a73e8' }, { at, advice: '"#1a73e8"' }],
    ['0x', { color: '0x1a73e8' }, { at, advice: '"#1a73e8"' }],
    ['a space behind it', { color: '#1a73e8 ' }, { at, advice: '"#1a73e8"' }],
    ['a line break behind it', { color: '#1a73e8\n' }, { at, advice: '"#1a73e8"' }],
    ['rgb()', { color: 'rgb(26, 115, 232)' }, { at, advice: '"#1a73e8"' }],
    ['rgb() beyond 255', { color: 'rgb(256, 0, 0)' }, { at, advice: 'for example' }],
    ['rgba()', { color: 'rgba(26,115,232,0.5)' }, { at, advice: '"#1a73e8"' }],
    ['a name', { color: 'blue' }, { at, message: '“blue”' }],
    ['five digits', { color: '#12345' }, { at }],
    ['seven digits', { color: '#1234567' }, { at, advice: 'for example' }],
    ['a letter beyond f', { color: '#12345g' }, { at }],
    ['full-width digits', { color: '#１２３４５６' }, { at }],
    ['a style sheet smuggled in', { color: '#112233;background:url(x)' }, { at }],
  ],
});
