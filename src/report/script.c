/* script.c -- the one script of a page: a table is sorted by the column whose heading is
 * chosen.
 *
 * It reads what stands in the cells, so that it knows nothing of records. Pages are well-formed
 * XML: there is neither '<' nor '&' in it. */
#include "report/style.h"

/* clang-format off */
const char attest_script_page[] =
    "'use strict';\n"
    "function value(cell){const raised=cell.querySelector('sup'),"
    "text=(raised||cell).textContent.replace(/[\\s\\u2009\\u202f]/g,'').replace(/\\u2212/g,'-');\n"
    "if(/^[-+]?[0-9.]+(e[-+]?[0-9]+)?%?$/.test(text))return parseFloat(text)/(text.endsWith('%')?100:1);\n"
    "return text==='\\u2013'?-Infinity:text}\n"
    "function order(a,b){return typeof a===typeof b?(a>b)-(b>a):typeof a==='number'?-1:1}\n"
    "for(const heading of document.querySelectorAll('thead th')){\n"
    "const sort=()=>{const table=heading.closest('table'),body=table.tBodies[0],"
    "up=heading.getAttribute('aria-sort')!=='ascending',column=heading.cellIndex;\n"
    "for(const other of table.tHead.querySelectorAll('th'))other.removeAttribute('aria-sort');\n"
    "heading.setAttribute('aria-sort',up?'ascending':'descending');\n"
    "body.append(...[...body.rows].map(row=>[value(row.cells[column]),row])"
    ".sort((a,b)=>order(a[0],b[0])*(up?1:-1)).map(pair=>pair[1]))};\n"
    "heading.tabIndex=0;heading.classList.add('sorts');heading.addEventListener('click',sort);\n"
    "heading.addEventListener('keydown',event=>{if(event.key==='Enter')sort()})}\n";
/* clang-format on */
